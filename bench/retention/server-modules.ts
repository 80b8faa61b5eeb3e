import type * as TelemetryModule from "../../packages/server/src/kernel/telemetry.js";
import type * as RetentionModule from "../../packages/server/src/retention/index.js";
import type * as AuditModule from "../../packages/server/src/storage/testing/append-audit.js";
import type * as StoreModule from "../../packages/server/src/storage/sqlite/store.js";

/** Internal parts of the server, loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export { systemIds } from "@steward/kernel/ids.js";
export { silentLog } from "@steward/kernel/log.js";
export const { silentTelemetry }: typeof TelemetryModule = await part("kernel/telemetry.js");
export const { openSqliteStore }: typeof StoreModule = await part("storage/sqlite/store.js");
export const { RetentionSweeper }: typeof RetentionModule = await part("retention/index.js");
export const { appendAudit }: typeof AuditModule = await part("storage/testing/append-audit.js");
