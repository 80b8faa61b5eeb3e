import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { damagedRowsBattery } from "../testing/damaged-rows-battery.js";
import { openTestStore } from "./testing/open-store.js";
import { storeDatabase } from "./testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

damagedRowsBattery("PostgreSQL", {
  open: () => openTestStore(database.url),
  execute: async (sql) => {
    await database.query(sql);
  },
});
