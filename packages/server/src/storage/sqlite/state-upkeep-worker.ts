import { parentPort, workerData } from "node:worker_threads";
import type { ErrorCode } from "@steward/protocol";
import { systemClock } from "../../kernel/clock.js";
import { AppError } from "../../kernel/errors.js";
import {
  type BlockStore,
  checkStore,
  collectGarbage,
  type Collection,
  collectReachable,
  type Fault,
  type Hash,
} from "../../state/index.js";
import { openSqliteBlockStore } from "./block-store.js";

/** What is to be done with which store. */
export type UpkeepOrder = { readonly path: string } & (
  | { readonly task: "check" }
  | { readonly task: "collect"; readonly graceMs: number }
  | { readonly task: "mark"; readonly commits: readonly Hash[] }
);

/** What it came to. */
export type UpkeepReport =
  | { readonly kind: "checked"; readonly faults: readonly Fault[] }
  | { readonly kind: "collected"; readonly collection: Collection }
  | { readonly kind: "marked"; readonly reachable: readonly Hash[] }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };

parentPort?.postMessage(report(workerData as UpkeepOrder));

function report(order: UpkeepOrder): UpkeepReport {
  try {
    using store = openSqliteBlockStore(order.path, systemClock);
    return done(order, store);
  } catch (error) {
    const { code, message } = AppError.from(error);
    return { kind: "failed", code, message };
  }
}

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
