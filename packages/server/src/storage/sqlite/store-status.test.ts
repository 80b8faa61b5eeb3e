import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { storeStatusBattery } from "../testing/store-status-battery.js";
import { openSqliteStore } from "./store.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "steward-status-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

storeStatusBattery("SQLite", () =>
  Promise.resolve(openSqliteStore(join(directory, "steward.db"), systemClock, silentTelemetry)),
);
