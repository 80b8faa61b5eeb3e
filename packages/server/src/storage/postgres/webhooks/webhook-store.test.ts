import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { webhookBattery } from "../../testing/webhook-battery.js";
import { openTestStore } from "../testing/open-store.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

webhookBattery("PostgreSQL", () => openTestStore(database.url));
