import type { TestDatabase } from "@steward/test-postgres";
import { afterAll } from "vitest";
import { storageQuotaBattery } from "../../testing/storage-quota-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((each) => each[Symbol.asyncDispose]())));

storageQuotaBattery("PostgreSQL", async () => {
  const database = await storeDatabase();
  databases.push(database);
  return openTestStore(database.url);
});
