import type pg from "pg";
import { AppError } from "../../kernel/errors.js";
import type { Schema, Script } from "../../schema/index.js";
import type { Checks, SchemaDatabase, ScratchDatabase } from "../../schema/ports.js";
import { PostgresScratch } from "./scratch-postgres.js";
import { connect, introspectLive, reasonOf, runScript } from "./session.js";

/** Who migrates holds this lock, so that it is one at a time, whichever server it is. */
const MIGRATION_LOCK = "SELECT pg_advisory_lock(5281736450182)";
/** How long another migration is waited for. */
const LOCK_TIMEOUT = "SET lock_timeout = '5s'";

/** A PostgreSQL database whose schema is managed. A connection is open only while it is used. */
export class PostgresSchemaDatabase implements SchemaDatabase {
  readonly name: string;
  readonly dialect = "postgres";
  readonly #url: string;

  constructor(name: string, url: string) {
    this.name = name;
    this.#url = url;
  }

  introspect(): Promise<Schema> {
    return this.#with((client) => introspectLive(client));
  }

  apply(script: Script, checks: Checks): Promise<void> {
    return this.#with(async (client) => {
      await client.query(LOCK_TIMEOUT);
      try {
        await client.query(MIGRATION_LOCK);
      } catch (cause) {
        throw new AppError("STATE_CONFLICT", `Another migration of ${this.name} is under way`, {
          cause,
        });
      }
      await runScript(client, script, refused, async (moment, phase) => {
        if (moment === "begin" && phase === 0) checks.before(await introspectLive(client));
        const isLast = phase === script.length - 1;
        if (moment === "end" && isLast) checks.after(await introspectLive(client));
      });
    });
  }

  scratch(): Promise<ScratchDatabase> {
    return PostgresScratch.open(this.#url, this.name);
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

function refused(sql: string, error: unknown): AppError {
  const message = `PostgreSQL refuses ${sql}: ${reasonOf(error)}`;
  return new AppError("STEP_FAILED", message, { cause: error });
}
