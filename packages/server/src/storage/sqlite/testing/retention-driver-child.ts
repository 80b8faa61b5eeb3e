import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { Eraser, RetentionSweeper } from "../../../retention/index.js";
import { openSqliteStore } from "../store.js";

/**
 * Deletes what is expired in a store, and carries out its erasures, until nothing is left. Prints
 * `begun` when it begins, and `done` when nothing is left.
 */
const [path = "", daysLater = "0"] = process.argv.slice(2);
const later = Number(daysLater) * 24 * 60 * 60 * 1000;
await using store = openSqliteStore(path, systemClock, silentTelemetry);
await store.memory.useModel({ name: "two", dimension: 2 });
const clock = { nowMs: (): number => Date.now() + later };
const parts = {
  ...{ store: store.retention, clock, log: silentLog },
  entries: {
    deleteEntries: async (...of: Parameters<typeof store.memory.deleteExpired>) =>
      (await store.memory.deleteExpired(...of)).length,
    deleteThese: () => Promise.resolve(0),
  },
  withUsage: <T>(work: () => Promise<T>) => work(),
};
writeSync(1, "begun\n");
await using _eraser = new Eraser({
  ...{ ...parts, erasures: store.erasures, erased: store.erased, planNames: store.erasedPlanNames },
  ...{ rows: store.expired, plans: store.plans },
  state: { erase: () => Promise.resolve(false) },
  markers: { erase: () => Promise.resolve() },
  // The test has made the records of all plans before.
  audit: {
    flush: () => Promise.resolve(),
    erase: (...asked) => store.audit.archive.erase(...asked),
  },
});
await using sweeper = new RetentionSweeper({
  ...{ ...parts, rows: store.expired },
  rules: { periods: { plans: 1 }, mayBeLonger: false },
});
do {
  await sweeper.sweep();
  await pause(1);
} while ((await store.erasures.unfinished()).length > 0);
writeSync(1, "done\n");
