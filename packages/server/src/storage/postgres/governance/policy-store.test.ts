import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { policyBattery } from "../../testing/policy-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

policyBattery("PostgreSQL", () => openTestStore(database.url));
