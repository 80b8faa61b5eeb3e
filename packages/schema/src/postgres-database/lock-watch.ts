import type pg from "pg";
import { connect } from "./session.js";

/** How long a statement runs before its blockers are looked up, in ms. */
const LOOK_AFTER_MS = 200;
/** Limit of blockers named in an error. */
const NAMED_MAX = 5;

/** Determines, over a separate connection, which sessions block a connection's statements. */
export class LockWatch implements AsyncDisposable {
  readonly #url: string;
  readonly #name: string;
  readonly #pid: number;
  #client: Promise<pg.Client> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #blockers: readonly string[] = [];

  constructor(url: string, name: string, pid: number) {
    this.#url = url;
    this.#name = name;
    this.#pid = pid;
  }

  /** The sessions that last blocked a watched statement, as text. */
  get blockers(): readonly string[] {
    return this.#blockers;
  }

  /** Runs a statement, and looks up its blockers repeatedly meanwhile. */
  async during<T>(statement: () => Promise<T>): Promise<T> {
    this.#blockers = [];
    this.#timer = setInterval(() => {
      this.#look = this.#look.then(() => this.#lookOnce());
    }, LOOK_AFTER_MS);
    try {
      return await statement();
    } finally {
      clearInterval(this.#timer);
      await this.#look;
    }
  }

  async #lookOnce(): Promise<void> {
    try {
      this.#client ??= connect(this.#url, this.#name);
      const client = await this.#client;
      const { rows } = await client.query<Blocker>(BLOCKERS, [this.#pid]);
      if (rows.length > 0) this.#blockers = rows.slice(0, NAMED_MAX).map(sayBlocker);
    } catch {
      // Without the privilege to see other sessions, or without a free connection, no blocker is
      // named.
      this.#client = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}

/** A blocking session. */
export interface Blocker {
  readonly pid: number;
  readonly usename: string | null;
  readonly application_name: string | null;
  readonly state: string | null;
  readonly seconds: string | null;
}

/**
 * Columns of `pg_stat_activity a`. The blocker's query is left out, because it may contain values.
 */
export const BLOCKER_COLUMNS: string = `a.pid, a.usename, a.application_name, a.state,
  extract(epoch FROM now() - a.xact_start)::int::text AS seconds`;

const BLOCKERS = `SELECT ${BLOCKER_COLUMNS}
  FROM unnest(pg_blocking_pids($1)) p JOIN pg_stat_activity a ON a.pid = p`;

/** A blocker as text. */
export function sayBlocker({ pid, usename, application_name, state, seconds }: Blocker): string {
  const program =
    application_name === null || application_name === "" ? "" : ` (${application_name})`;
  const since = seconds === null ? "" : `, in a transaction for ${seconds} s`;
  return `process ${String(pid)} of ${usename ?? "an unknown role"}${program}, ${state ?? "active"}${since}`;
}
