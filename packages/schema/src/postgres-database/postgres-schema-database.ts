import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import {
  MIGRATION_INDEX_WAIT_MS,
  MIGRATION_LOCK_WAIT_MS,
  MIGRATION_TURN_WAIT_MS,
} from "../limits.js";
import type {
  MigrationWaits,
  RunOrder,
  RunOutcome,
  Schema,
  Script,
  UnfinishedRun,
} from "../index.js";
import type { Checks, SchemaDatabase, ScratchDatabase } from "../ports.js";
import { MIGRATION_LOCK, RunJournal } from "./journal.js";
import { JournaledRun } from "./journaled-run.js";
import { LockWatch } from "./lock-watch.js";
import { PostgresScratch } from "./scratch-postgres.js";
import { connect, introspectLive } from "./session.js";
import { StatementRunner } from "./statement-runner.js";

const DEFAULT_WAITS: MigrationWaits = {
  turnMs: MIGRATION_TURN_WAIT_MS,
  lockMs: MIGRATION_LOCK_WAIT_MS,
  indexMs: MIGRATION_INDEX_WAIT_MS,
};

/** A PostgreSQL database whose schema is managed. A connection is only open while it is used. */
export class PostgresSchemaDatabase implements SchemaDatabase {
  readonly name: string;
  readonly dialect = "postgres";
  readonly #url: string;
  readonly #waits: MigrationWaits;

  constructor(name: string, url: string, waits: MigrationWaits = DEFAULT_WAITS) {
    this.name = name;
    this.#url = url;
    this.#waits = waits;
  }

  introspect(): Promise<Schema> {
    return this.#with((client) => introspectLive(client));
  }

  introspectSettled(): Promise<Schema> {
    return this.#withLock((client) => introspectLive(client));
  }

  unfinishedRun(): Promise<UnfinishedRun | undefined> {
    return this.#with(async (client) => (await RunJournal.find(client)).read());
  }

  apply(script: Script, checks: Checks, order: RunOrder): Promise<RunOutcome> {
    return this.#withLock(async (client) => {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await using watch = new LockWatch(this.#url, this.name, rows[0]?.pid ?? 0);
      const parts = {
        name: this.name,
        client,
        journal: await RunJournal.find(client),
        runner: new StatementRunner(client, watch),
        waits: this.#waits,
      };
      return await new JournaledRun(parts, script, checks, order).run();
    });
  }

  forgetRun(run: UnfinishedRun): Promise<void> {
    return this.#withLock(async (client) => {
      const journal = await RunJournal.find(client);
      const found = await journal.read();
      if (found?.migrationId === run.migrationId) await journal.end();
    });
  }

  scratch(): Promise<ScratchDatabase> {
    return PostgresScratch.open(this.#url, this.name);
  }

  #withLock<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await client.query(`SET lock_timeout = ${String(this.#waits.turnMs)}`);
      try {
        await client.query(`SELECT pg_advisory_lock(${String(MIGRATION_LOCK)})`);
      } catch (cause) {
        const message = `Another migration of ${this.name} is running: try again when it has ended`;
        throw new AppError("STATE_CONFLICT", message, { cause });
      }
      return work(client);
    });
  }

  async #with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await connect(this.#url, this.name);
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}
