import { existsSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";
import type { Schema, Script } from "../../schema/index.js";
import type { Checks, SchemaDatabase, ScratchDatabase } from "../../schema/ports.js";
import { SqliteScratch } from "./scratch-sqlite.js";
import { introspectSqlite } from "./sqlite-catalog.js";

/** How long a connection waits for another's transaction. */
const BUSY_TIMEOUT_MS = 5000;

/** A SQLite file whose schema is managed. A connection is open only while it is used. */
export class SqliteSchemaDatabase implements SchemaDatabase {
  readonly name: string;
  readonly dialect = "sqlite";
  readonly #path: string;

  constructor(name: string, path: string) {
    this.name = name;
    this.#path = path;
  }

  introspect(): Promise<Schema> {
    return this.#with((db) => introspectSqlite(db));
  }

  apply(script: Script, checks: Checks): Promise<void> {
    return this.#with((db) => {
      // Both are nothing inside a transaction (SQLite, "Making Other Kinds Of Table Schema Changes").
      db.exec("PRAGMA foreign_keys = OFF");
      db.exec("PRAGMA synchronous = FULL");
      db.exec("BEGIN IMMEDIATE");
      try {
        checks.before(introspectSqlite(db));
        for (const { statements } of script) for (const sql of statements) run(db, sql);
        checks.after(introspectSqlite(db));
        refuseBrokenReferences(db);
        db.exec("COMMIT");
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  scratch(): Promise<ScratchDatabase> {
    return Promise.resolve(new SqliteScratch());
  }

  #with<T>(work: (db: DatabaseSyncInstance) => T): Promise<T> {
    return Promise.resolve().then(() => {
      const db = this.#open();
      try {
        return work(db);
      } finally {
        db.close();
      }
    });
  }

  #open(): DatabaseSyncInstance {
    if (!existsSync(this.#path)) throw unavailable(this.name);
    try {
      return new DatabaseSync(this.#path, {
        timeout: BUSY_TIMEOUT_MS,
        defensive: true,
        limits: { attach: 0 },
      });
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }
}

function run(db: DatabaseSyncInstance, sql: string): void {
  try {
    db.exec(sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new AppError("STEP_FAILED", `Nothing was changed: SQLite refuses ${sql}: ${reason}`, {
      cause: error,
    });
  }
}

/** The last step before the commit: no row may point to a row that is not there. */
function refuseBrokenReferences(db: DatabaseSyncInstance): void {
  const row = db.prepare("PRAGMA foreign_key_check").get() as
    { readonly table: string; readonly parent: string } | undefined;
  if (row === undefined) return;
  throw new AppError(
    "STEP_FAILED",
    `Nothing was changed: ${row.table} has rows that point to none of ${row.parent}`,
  );
}

function unavailable(name: string, cause?: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", `The database ${name} cannot be opened`, {
    ...(cause === undefined ? {} : { cause }),
    retryAfterMs: 1000,
  });
}
