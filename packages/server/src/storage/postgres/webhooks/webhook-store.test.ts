import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { webhookBattery } from "../../testing/webhook-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

webhookBattery("PostgreSQL", () => openTestStore(database.url));
