import { readFileSync } from "node:fs";
import { join } from "node:path";
import { measureFloor } from "./floor.js";
import type { BenchStore } from "./store.js";

/** The embedded store; its floor commits the concurrent plans together. */
export function sqliteStore(dir: string): BenchStore {
  const path = join(dir, "store.db");
  return {
    url: `sqlite:${path}`,
    // Such a store has one process.
    async counters([server]) {
      if (server === undefined) return { commits: 0, bytes: 0 };
      const page = await server.metrics();
      const io = readFileSync(`/proc/${String(server.pid)}/io`, "utf8");
      const commits = /^steward_store_commits_total(?:\{[^}]*\})? (.+)$/m.exec(page)?.[1];
      return {
        commits: Number(commits ?? 0),
        bytes: Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? 0),
      };
    },
    floor: (group) =>
      Promise.resolve(measureFloor(path, join(dir, "floor.db"), group).stepsPerSecond),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
