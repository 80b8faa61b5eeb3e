import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";
import { refuseMoreThanDefinitions, type Schema, type Script } from "../../schema/index.js";
import type { ScratchDatabase } from "../../schema/ports.js";
import { introspectSqlite } from "../sqlite-catalog.js";

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

  run(script: Script): Promise<void> {
    return Promise.resolve().then(() => {
      for (const { statements } of script) for (const sql of statements) this.#exec(sql);
    });
  }

  define(sql: string): Promise<void> {
    return Promise.resolve().then(() => {
      for (const statement of refuseMoreThanDefinitions(sql, "sqlite")) this.#exec(statement);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
    return Promise.resolve();
  }

  #exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown error";
      throw new AppError("INVALID_ARGUMENT", `SQLite refuses ${sql}: ${reason}`, { cause: error });
    }
  }
}
