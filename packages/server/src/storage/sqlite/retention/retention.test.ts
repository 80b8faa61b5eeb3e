import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { retentionBattery } from "../../testing/retention-battery.js";
import { CommitWriter } from "../commit-writer.js";
import { openConnection } from "../connection.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-retention-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
let path = "";
beforeEach(() => {
  files += 1;
  path = join(root, `${String(files)}.db`);
});

retentionBattery("SQLite", {
  open: () => Promise.resolve(openSqliteStore(path, systemClock, silentTelemetry)),
  count: (table) => {
    using db = openConnection(path, true);
    const row = db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { readonly n: number };
    return Promise.resolve(row.n);
  },
  tablesOfOrganizations: () => {
    using db = openConnection(path, true);
    const rows = db
      .prepare(
        `SELECT t.name FROM sqlite_schema AS t
         WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'org_id')`,
      )
      .all() as { readonly name: string }[];
    return Promise.resolve(rows.map(({ name }) => name));
  },
});

describe("a file of which most was deleted", () => {
  it("gets shorter while it is written to", async () => {
    {
      using db = openConnection(path, false);
      db.exec("CREATE TABLE t (filler BLOB)");
    }
    const insert = { sql: "INSERT INTO t VALUES (randomblob(20000))", params: [] };
    await using writer = new CommitWriter(path, silentTelemetry);
    for (let n = 0; n < 12; n += 1) {
      await writer.commit(Array.from({ length: 100 }, () => insert));
    }
    using db = openConnection(path, false);
    const bytes = (): number => {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return statSync(path).size;
    };
    const full = bytes();
    await writer.commit([{ sql: "DELETE FROM t", params: [] }]);
    const small = { sql: "INSERT INTO t VALUES (x'00')", params: [] };
    for (let n = 0; n < 400; n += 1) {
      await writer.commit(Array.from({ length: 10 }, () => small));
    }
    expect(bytes()).toBeLessThan(full / 2);
  });
});
