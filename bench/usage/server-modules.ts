import type * as BusModule from "../../packages/server/src/kernel/event-bus.js";
import type * as TelemetryModule from "../../packages/server/src/kernel/telemetry.js";
import type * as StoreModule from "../../packages/server/src/storage/sqlite/store.js";
import type * as UsageModule from "../../packages/server/src/usage/index.js";

/** Internal parts of the server, loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { EventBus }: typeof BusModule = await part("kernel/event-bus.js");
export { systemClock } from "@steward/kernel/clock.js";
export { systemIds } from "@steward/kernel/ids.js";
export { silentLog } from "@steward/kernel/log.js";
export const { silentTelemetry }: typeof TelemetryModule = await part("kernel/telemetry.js");
export const { openSqliteStore }: typeof StoreModule = await part("storage/sqlite/store.js");
export const { LedgerReservations, UsageGate, UsageRecorder, UsageService }: typeof UsageModule =
  await part("usage/index.js");
