import { systemClock } from "@steward/kernel/clock.js";
import { EventBus } from "../../kernel/event-bus.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { noCustomerBindings, PaymentService } from "../../payments/index.js";
import {
  LedgerReservations,
  noUsageStore,
  UsageGate,
  UsageRecorder,
  UsageService,
} from "../../usage/index.js";
import type { Services } from "../services.js";

/** Usage and payments of a server without a store and a payment provider. */
export function storelessBilling(): Pick<Services, "usage" | "payments"> {
  const recorder = new UsageRecorder(noUsageStore.recording, new EventBus(silentLog), silentLog);
  const reservations = new LedgerReservations(noUsageStore, recorder, systemClock);
  const gate = new UsageGate(reservations, recorder, silentLog);
  const ids = systemIds(systemClock);
  return {
    usage: new UsageService({ store: noUsageStore, recorder, gate, clock: systemClock, ids }),
    payments: new PaymentService(undefined, noCustomerBindings),
  };
}
