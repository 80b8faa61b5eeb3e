import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrationOn } from "../testing/migration-on.js";
import { SqliteSchemaDatabase } from "./index.js";

const LOCK_MS = 50;
const WANTED = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)";

describe("a migration of a SQLite file that another connection has locked", () => {
  let folder: string;
  let other: DatabaseSyncInstance;
  let database: SqliteSchemaDatabase;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "locks-"));
    const path = join(folder, "shop.db");
    other = new DatabaseSync(path);
    other.exec("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (7)");
    database = new SqliteSchemaDatabase("shop", path, { lockMs: LOCK_MS });
  });
  afterEach(() => {
    other.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["writes", "BEGIN IMMEDIATE; INSERT INTO t VALUES (8)", "BEGIN IMMEDIATE waited 50 ms"],
    ["reads", "BEGIN; SELECT count(*) FROM t", "COMMIT waited 50 ms"],
  ])("changes nothing and says to try again while it %s", async (_title, lock, message) => {
    other.exec(lock);
    await expect(migrationOn(database, WANTED)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining(`Nothing was changed: ${message}`) as string,
      retryAfterMs: 1000,
    });
    other.exec("ROLLBACK");
    expect(other.prepare("SELECT * FROM t").all()).toEqual([{ a: 7 }]);
    await migrationOn(database, WANTED);
    expect(other.prepare("SELECT * FROM t").all()).toEqual([{ a: 7, b: null }]);
  });

  it("is not proposed while nobody else can read it", async () => {
    other.exec("BEGIN EXCLUSIVE");
    await expect(database.introspect()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      retryAfterMs: 1000,
    });
    other.exec("ROLLBACK");
  });
});
