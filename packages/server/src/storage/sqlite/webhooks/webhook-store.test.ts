import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { webhookBattery } from "../../testing/webhook-battery.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-webhooks-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
beforeEach(() => {
  files += 1;
});

webhookBattery("SQLite", () =>
  Promise.resolve(openSqliteStore(join(root, `${String(files)}.db`), systemClock, silentTelemetry)),
);
