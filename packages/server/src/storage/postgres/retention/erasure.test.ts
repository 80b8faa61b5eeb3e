import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeEach } from "vitest";
import { erasureBattery } from "../../testing/erasure-battery.js";
import { openTestStore } from "../testing/open-store.js";

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((each) => each[Symbol.asyncDispose]())));
let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
  databases.push(database);
});

erasureBattery("PostgreSQL", {
  open: () => openTestStore(database.url),
  // A dump of every row as text.
  contains: async (text) => {
    const tables = await database.query(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
    for (const { name } of tables) {
      const rows = await database.query(`SELECT t::text AS row FROM "${String(name)}" AS t`);
      if (rows.some(({ row }) => String(row).includes(text))) return true;
    }
    return false;
  },
});
