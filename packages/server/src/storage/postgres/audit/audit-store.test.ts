import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { auditBattery } from "../../testing/audit-battery.js";
import { auditExportBattery } from "../../testing/audit-export-battery.js";
import { oldRecordsBattery } from "../../testing/old-records-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

auditBattery("PostgreSQL", () => openTestStore(database.url), true);
auditExportBattery("PostgreSQL", () => openTestStore(database.url), true);
oldRecordsBattery("PostgreSQL", () => openTestStore(database.url));
