import { systemClock } from "../../../kernel/clock.js";
import { systemIds } from "../../../kernel/ids.js";
import { silentLog } from "../../../kernel/log.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import type { Store } from "../../store.js";
import { openPostgresStore } from "../store.js";

/** A node of the store at this URL, as tests need it. */
export function openTestStore(url: string, nodeFile?: string): Promise<Store> {
  const ids = systemIds(systemClock);
  const parts = { ids, log: silentLog, telemetry: silentTelemetry };
  return openPostgresStore({ url, ...parts, ...(nodeFile === undefined ? {} : { nodeFile }) });
}
