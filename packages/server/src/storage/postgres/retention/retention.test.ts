import type { TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeEach } from "vitest";
import { retentionBattery } from "../../testing/retention-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((each) => each[Symbol.asyncDispose]())));
let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
  databases.push(database);
});

retentionBattery("PostgreSQL", {
  open: () => openTestStore(database.url),
  count: async (table) => {
    const [row] = await database.query(`SELECT count(*)::integer AS n FROM ${table}`);
    return Number(row?.["n"]);
  },
  tablesOfOrganizations: async () => {
    const rows = await database.query(
      `SELECT c.relname AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attname = 'org_id'`,
    );
    return rows.map((row) => String(row["name"]));
  },
});
