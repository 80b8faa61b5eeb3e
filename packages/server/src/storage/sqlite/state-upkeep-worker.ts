import { parentPort, workerData } from "node:worker_threads";
import type { ErrorCode } from "@steward/protocol";
import { systemClock } from "../../kernel/clock.js";
import { AppError } from "../../kernel/errors.js";
import { checkStore, collectGarbage, type Collection, type Fault } from "../../state/index.js";
import { openSqliteBlockStore } from "./block-store.js";

/** What is to be done with which store. */
export interface UpkeepOrder {
  readonly path: string;
  readonly task: "check" | "collect";
  readonly graceMs: number;
}

/** What it came to. */
export type UpkeepReport =
  | { readonly kind: "checked"; readonly faults: readonly Fault[] }
  | { readonly kind: "collected"; readonly collection: Collection }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };

parentPort?.postMessage(report(workerData as UpkeepOrder));

function report({ path, task, graceMs }: UpkeepOrder): UpkeepReport {
  try {
    using store = openSqliteBlockStore(path, systemClock);
    if (task === "check") return { kind: "checked", faults: checkStore(store) };
    return { kind: "collected", collection: collectGarbage(store, systemClock, graceMs) };
  } catch (error) {
    const { code, message } = AppError.from(error);
    return { kind: "failed", code, message };
  }
}
