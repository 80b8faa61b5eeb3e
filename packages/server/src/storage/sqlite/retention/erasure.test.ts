import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { erasureBattery } from "../../testing/erasure-battery.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-erasure-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
beforeEach(() => {
  files += 1;
});

erasureBattery("SQLite", {
  open: () =>
    Promise.resolve(
      openSqliteStore(join(root, String(files), "s.db"), systemClock, silentTelemetry),
    ),
  // Every byte of the store and its write-ahead log, also those that are free.
  contains: (text) => {
    const directory = join(root, String(files));
    const names = readdirSync(directory).filter((name) => name.startsWith("s.db"));
    return Promise.resolve(
      names.some((name) => readFileSync(join(directory, name)).includes(text)),
    );
  },
});
