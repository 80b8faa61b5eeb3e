import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type {
  FaultPlace,
  FaultyEnd,
  FaultyOrder,
  FaultyRun,
  Row,
} from "@steward/schema/testing/fault-place.js";
import { type FileService, openFileService } from "./file-service.js";
import { MigratingProcess } from "./migrating-process.js";
import { isSame } from "@steward/schema/testing/sqlite-retyped-column.js";

/** How long the second writer waits for a migration to end, in ms. */
const PATIENCE_MS = 10_000;

/** An empty database, with WAL or without. */
export function openSqliteFaultPlace(random: () => number): Promise<FaultPlace> {
  return Promise.resolve(new SqliteFaultPlace(random() < 0.5));
}

/**
 * Files that die with their processes: a real process, killed by SIGKILL, migrates the one and keeps its records in the
 * other. Another process continues, as after a restart.
 */
class SqliteFaultPlace implements FaultPlace {
  readonly #folder = mkdtempSync(join(tmpdir(), "faults-"));
  readonly #places = { path: join(this.#folder, "shop.db"), stateDirectory: this.#folder };
  readonly #db: DatabaseSyncInstance;
  #opened: FileService;
  #process = new MigratingProcess();

  /** @param isWal whether readers and the writer do not hold each other up. */
  constructor(isWal: boolean) {
    this.#db = new DatabaseSync(this.#places.path, { timeout: PATIENCE_MS });
    this.#db.exec(`PRAGMA journal_mode = ${isWal ? "WAL" : "DELETE"}; PRAGMA synchronous = OFF`);
    this.#opened = openFileService(this.#places);
  }

  get database(): FileService["database"] {
    return this.#opened.database;
  }

  get service(): FileService["service"] {
    return this.#opened.service;
  }

  readonly query = (sql: string): Promise<readonly Row[]> => Promise.resolve(this.#query(sql));

  apply(order: FaultyOrder): FaultyRun {
    const closed = this.#opened[Symbol.asyncDispose]();
    const run = this.#process.apply({ ...order, ...this.#places });
    return { begun: run.begun, ended: this.#restart(closed, run) };
  }

  async #restart(closed: PromiseLike<void>, run: FaultyRun): Promise<FaultyEnd> {
    await closed;
    const end = await run.ended;
    this.#opened = openFileService(this.#places);
    return end;
  }

  /** One that writes keeps everybody from writing, one that reads keeps a COMMIT from ending. */
  hold(table: string, random: () => number): Promise<AsyncDisposable> {
    const db = new DatabaseSync(this.#places.path, { timeout: PATIENCE_MS });
    db.exec(random() < 0.5 ? "BEGIN IMMEDIATE" : `BEGIN; SELECT count(*) FROM ${table}`);
    return Promise.resolve({
      [Symbol.asyncDispose]: () => {
        db.exec("ROLLBACK");
        db.close();
        return Promise.resolve();
      },
    });
  }

  readonly asText = (column: string): string => `quote(${column})`;

  readonly isSame = isSame;

  check(): Promise<void> {
    const found = [
      ...this.#query("PRAGMA integrity_check"),
      ...this.#query("PRAGMA foreign_key_check"),
    ];
    if (found.length === 1 && found[0]?.["integrity_check"] === "ok") return Promise.resolve();
    return Promise.reject(new Error(`the file is damaged: ${JSON.stringify(found)}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await this.#opened[Symbol.asyncDispose]();
    this.#db.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Several statements are one transaction, which waits for the lock before it has read anything. */
  #query(sql: string): readonly Row[] {
    if (/^(SELECT|PRAGMA)\b/.test(sql)) return this.#db.prepare(sql).all() as Row[];
    this.#db.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
    return [];
  }
}
