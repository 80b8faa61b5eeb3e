import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@steward/kernel/clock.js";
import { checkStore } from "@steward/state";
import type { KillPlace } from "../../testing/state-kill-rounds.js";
import { openSqliteBlockStore } from "../state/block-store.js";

/** One file that several processes write. */
export function sqliteKillPlace(): KillPlace {
  const dir = mkdtempSync(join(tmpdir(), "steward-state-kill-"));
  const path = join(dir, "state.db");
  return {
    driver: new URL("./state-driver-child.js", import.meta.url),
    args: () => [path],
    settle: () => Promise.resolve(),
    check() {
      using store = openSqliteBlockStore(path, systemClock);
      return Promise.resolve(checkStore(store));
    },
    read(work) {
      using store = openSqliteBlockStore(path, systemClock);
      work(store);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]() {
      rmSync(dir, { recursive: true });
      return Promise.resolve();
    },
  };
}
