import { type Clock, systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import type { Store } from "../../store.js";
import { openPostgresStore } from "../store.js";

/** Settings of a node that tests can change. */
interface NodeOptions {
  readonly nodeFile?: string;
  readonly clock?: Clock;
}

/** A node of the store at this URL, with the settings of tests. */
export function openTestStore(url: string, options: NodeOptions = {}): Promise<Store> {
  const usual = {
    clock: systemClock,
    ids: systemIds(systemClock),
    log: silentLog,
    telemetry: silentTelemetry,
  };
  return openPostgresStore({ url, ...usual, ...options });
}
