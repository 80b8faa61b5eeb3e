import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import {
  type Definition,
  type Definitions,
  type Schema,
  type ScriptText,
  shown,
  stepsOf,
} from "../index.js";
import type { ScratchDatabase } from "../ports.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";

/** A database in memory. */
export class SqliteScratch implements ScratchDatabase {
  readonly #db: DatabaseSyncInstance;

  constructor() {
    this.#db = new DatabaseSync(":memory:", { limits: { attach: 0 }, defensive: true });
    this.#db.exec("PRAGMA foreign_keys = OFF");
  }

  introspect(): Promise<Schema> {
    return Promise.resolve().then(() => introspectSqlite(this.#db));
  }

  run(script: ScriptText): Promise<void> {
    return Promise.resolve().then(() => {
      for (const step of script.flatMap(stepsOf)) {
        if (typeof step === "string") this.#exec(step);
        // There are no rows to find; this only tests that the queries are valid.
        else for (const sql of [step.count, step.examples]) this.#exec(sql);
      }
    });
  }

  define({ statements }: Definitions): Promise<void> {
    return Promise.resolve().then(() => {
      for (const definition of statements) this.#define(definition);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
    return Promise.resolve();
  }

  #define({ sql, place }: Definition): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      const reason = reasonOf(error);
      if (this.#isShadowTableSaidAgain(reason)) return;
      throw refused(`${place}: SQLite refuses ${shown(sql)}: ${reason}`, error);
    }
  }

  /**
   * Whether a definition was refused because its virtual table has already created the shadow
   * table. `.schema` prints both.
   */
  #isShadowTableSaidAgain(reason: string): boolean {
    const name = /^object name reserved for internal use: (.*)$/s.exec(reason)?.[1];
    if (name === undefined) return false;
    const shadow = "SELECT 1 FROM pragma_table_list WHERE type = 'shadow' AND name = ?";
    return this.#db.prepare(shadow).get(name) !== undefined;
  }

  #exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw refused(`SQLite refuses ${sql}: ${reasonOf(error)}`, error);
    }
  }
}

function refused(message: string, cause: unknown): AppError {
  return new AppError("INVALID_ARGUMENT", message, { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
