import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { damagedRowsBattery } from "../testing/damaged-rows-battery.js";
import { openConnection } from "./connection.js";
import { openSqliteStore } from "./store.js";

const root = mkdtempSync(join(tmpdir(), "steward-damaged-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
let path = "";
beforeEach(() => {
  files += 1;
  path = join(root, `${String(files)}.db`);
});

damagedRowsBattery("SQLite", {
  open: () => Promise.resolve(openSqliteStore(path, systemClock, silentTelemetry)),
  execute: (sql) => {
    using db = openConnection(path, false);
    db.exec(sql);
    return Promise.resolve();
  },
});
