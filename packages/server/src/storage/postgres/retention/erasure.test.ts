import type { TestDatabase } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { erasureBattery } from "../../testing/erasure-battery.js";
import { openStateNode } from "../testing/state-node.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

const databases: TestDatabase[] = [];
const root = mkdtempSync(join(tmpdir(), "steward-erasure-"));
afterAll(async () => {
  await Promise.all(databases.map((each) => each[Symbol.asyncDispose]()));
  rmSync(root, { recursive: true });
});
let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
  databases.push(database);
});

erasureBattery("PostgreSQL", {
  open: () => openTestStore(database.url),
  tablesOf: async (orgId) => {
    const tables = await database.query(
      `SELECT c.relname AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attname = 'org_id'`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const sql = `SELECT 1 FROM "${String(name)}" WHERE org_id = '${orgId}' LIMIT 1`;
      if ((await database.query(sql)).length > 0) found.push(String(name));
    }
    return found;
  },
  columns: async () => {
    const columns = await database.query(
      `SELECT c.relname || '.' || a.attname AS name
       FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0
         AND NOT a.attisdropped AND a.attname <> 'org_id' AND a.atttypid <> ALL (
           '{uuid,int4,int8,float8,bool,timestamptz}'::regtype[])`,
    );
    return columns.map(({ name }) => String(name));
  },
  has: async (column, text) => {
    const [table = "", name = ""] = column.split(".");
    const sought = [text, Buffer.from(text).toString("hex")];
    const sql = `SELECT 1 FROM "${table}" WHERE ${sought.map((each) => `strpos("${name}"::text, '${each}') > 0`).join(" OR ")} LIMIT 1`;
    return (await database.query(sql)).length > 0;
  },
  openState: () => openStateNode(database.url, mkdtempSync(join(root, "clones-"))),
  // A dump of every row as text, in which bytes are hexadecimal digits.
  contains: async (text) => {
    const tables = await database.query(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
    for (const { name } of tables) {
      const rows = await database.query(`SELECT t::text AS row FROM "${String(name)}" AS t`);
      const sought = [text, Buffer.from(text).toString("hex")];
      if (rows.some(({ row }) => sought.some((each) => String(row).includes(each)))) return true;
    }
    return false;
  },
});
