import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { auditBattery } from "../../testing/audit-battery.js";
import { auditExportBattery } from "../../testing/audit-export-battery.js";
import { openTestStore } from "../testing/open-store.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

auditBattery("PostgreSQL", () => openTestStore(database.url), true);
auditExportBattery("PostgreSQL", () => openTestStore(database.url), true);
