import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { auditBattery } from "../../testing/audit-battery.js";
import { auditExportBattery } from "../../testing/audit-export-battery.js";
import { oldRecordsBattery } from "../../testing/old-records-battery.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-audit-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
beforeEach(() => {
  files += 1;
});

const open = () =>
  Promise.resolve(openSqliteStore(join(root, `${String(files)}.db`), systemClock, silentTelemetry));

auditBattery("SQLite", open, false);
auditExportBattery("SQLite", open, false);
oldRecordsBattery("SQLite", open);
