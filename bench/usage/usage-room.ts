import type { SqliteStore } from "../../packages/server/src/storage/sqlite/store.js";
import type { AuditEvents } from "../../packages/server/src/kernel/tool-call.js";
import type * as UsageModule from "../../packages/server/src/usage/index.js";
import {
  EventBus,
  LedgerReservations,
  openSqliteStore,
  silentLog,
  silentTelemetry,
  systemClock,
  systemIds,
  UsageGate,
  UsageRecorder,
  UsageService,
} from "./server-modules.js";

/** The usage service over a store, as the server builds it. */
export interface UsageRoom extends AsyncDisposable {
  readonly store: SqliteStore;
  readonly recorder: UsageModule.UsageRecorder;
  readonly service: UsageModule.UsageService;
}

/** Opens usage over the store at this path. Recording starts at once. */
export function openUsageRoom(path: string): UsageRoom {
  const store = openSqliteStore(path, systemClock, silentTelemetry);
  const bus = new EventBus<AuditEvents>(silentLog);
  const recorder = new UsageRecorder(store.usage.recording, bus, silentLog);
  const reservations = new LedgerReservations(store.usage, recorder, systemClock);
  const gate = new UsageGate(reservations, recorder, silentLog);
  const ids = systemIds(systemClock);
  return {
    store,
    recorder,
    service: new UsageService({ store: store.usage, recorder, gate, clock: systemClock, ids }),
    async [Symbol.asyncDispose]() {
      await recorder[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
