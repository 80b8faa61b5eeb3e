import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { browserSessionBattery } from "../../testing/browser-session-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

browserSessionBattery("PostgreSQL", () => openTestStore(database.url));
