import { systemClock } from "@steward/kernel/clock.js";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import {
  checkStore,
  collectGarbage,
  type Collection,
  collectReachable,
  type Fault,
  type Hash,
} from "@steward/state";
import type { BlockStore } from "@steward/state/ports";
import { openSqliteBlockStore } from "./block-store.js";

/** A job and the store that it works on. */
export type UpkeepOrder = { readonly path: string } & (
  | { readonly task: "check" }
  | { readonly task: "collect"; readonly graceMs: number }
  | { readonly task: "mark"; readonly commits: readonly Hash[] }
);

export type UpkeepReport =
  | { readonly kind: "checked"; readonly faults: readonly Fault[] }
  | { readonly kind: "collected"; readonly collection: Collection }
  | { readonly kind: "marked"; readonly reachable: readonly Hash[] };

/** Requests to the thread. */
export interface UpkeepCalls {
  readonly run: { readonly input: UpkeepOrder; readonly output: UpkeepReport };
}

serveThread<UpkeepCalls>({
  run: (order) => {
    using store = openSqliteBlockStore(order.path, systemClock);
    return done(order, store);
  },
});

function done(order: UpkeepOrder, store: BlockStore): UpkeepReport {
  switch (order.task) {
    case "check":
      return { kind: "checked", faults: checkStore(store) };
    case "collect":
      return { kind: "collected", collection: collectGarbage(store, systemClock, order.graceMs) };
    case "mark": {
      const found = new Set<Hash>();
      collectReachable(store, order.commits, found);
      return { kind: "marked", reachable: [...found] };
    }
  }
}
