import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { OwnRepositories } from "@steward/state";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { erasureBattery } from "../../testing/erasure-battery.js";
import { openConnection } from "../connection.js";
import { SqliteBlockStores } from "../state/block-stores.js";
import { SqliteStateUpkeep } from "../state/state-upkeep.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-erasure-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
beforeEach(() => {
  files += 1;
});

erasureBattery("SQLite", {
  open: () =>
    Promise.resolve(
      openSqliteStore(join(root, String(files), "s.db"), systemClock, silentTelemetry),
    ),
  tablesOf: (orgId) => {
    using db = openConnection(join(root, String(files), "s.db"), true);
    const tables = db
      .prepare(
        `SELECT t.name FROM sqlite_schema AS t
         WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'org_id')`,
      )
      .all() as { readonly name: string }[];
    const hasRow = ({ name }: { readonly name: string }): boolean =>
      db.prepare(`SELECT 1 FROM "${name}" WHERE org_id = ?`).get(orgId) !== undefined;
    return Promise.resolve(tables.filter(hasRow).map(({ name }) => name));
  },
  columns: () => {
    using db = openConnection(join(root, String(files), "s.db"), true);
    const columns = db
      .prepare(
        `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t
         JOIN pragma_table_info(t.name) AS c
         WHERE t.type = 'table' AND t.name NOT GLOB 'memory_text*' AND t.name NOT GLOB 'sqlite_*'
           AND c.type NOT IN ('INTEGER', 'REAL') AND c.name <> 'org_id'`,
      )
      .all() as { readonly name: string }[];
    return Promise.resolve(columns.map(({ name }) => name));
  },
  has: (column, text) => {
    using db = openConnection(join(root, String(files), "s.db"), true);
    const [table = "", name = ""] = column.split(".");
    const sql = `SELECT 1 FROM "${table}" WHERE instr(CAST("${name}" AS BLOB), CAST(? AS BLOB)) > 0`;
    return Promise.resolve(db.prepare(sql).get(text) !== undefined);
  },
  openState: () => {
    const directory = join(root, String(files), "state");
    const repositories = new OwnRepositories(
      new SqliteBlockStores(directory, systemClock),
      new SqliteStateUpkeep(directory),
    );
    return { repositories, [Symbol.asyncDispose]: () => repositories[Symbol.asyncDispose]() };
  },
  // Every byte of the store, its write-ahead log and the state, also those that are free.
  contains: (text) => {
    const directory = join(root, String(files));
    const found = readdirSync(directory, { recursive: true, withFileTypes: true });
    return Promise.resolve(
      found
        .filter((entry) => entry.isFile())
        .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text)),
    );
  },
});
