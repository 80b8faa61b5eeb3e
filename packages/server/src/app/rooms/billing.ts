import { createHash } from "node:crypto";
import { isoTime } from "@steward/kernel/clock.js";
import type { Config } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { EventBus } from "../../kernel/event-bus.js";
import type { AuditEvents } from "../../kernel/tool-call.js";
import { noCustomerBindings, type PaymentForm, PaymentService } from "../../payments/index.js";
import type { PaymentPages, PaymentProvider } from "../../payments/ports.js";
import type { Store } from "../../storage/store.js";
import type { Services } from "../../transport/services.js";
import {
  type BudgetInPeriod,
  LedgerReservations,
  limitText,
  noUsageStore,
  type StorageQuota,
  UsageGate,
  UsageRecorder,
  UsageService,
} from "../../usage/index.js";
import type { WebhookNotice, WebhookNotices } from "../../webhooks/index.js";
import type { Basics } from "./basics.js";

/** The usage and payment services. */
export interface Billing extends Pick<Services, "usage" | "payments"> {
  readonly gate: UsageGate;
  readonly recorder: UsageRecorder;
}

/** Dependencies of usage and payments. */
interface BillingParts extends Basics {
  readonly config: Config;
  readonly store: Store | undefined;
  readonly storage: StorageQuota;
  readonly events: EventBus<AuditEvents>;
  readonly notices: WebhookNotices;
}

/** Without a store, usage and payments return errors that name the missing setting. */
export async function openBilling(
  { config, store, storage, events, notices, clock, ids, log }: BillingParts,
  opened: DisposalStack,
): Promise<Billing> {
  const usageStore = store?.usage ?? noUsageStore;
  const recorder = opened.use(new UsageRecorder(usageStore.recording, events, log));
  const reservations = store?.reservations ?? new LedgerReservations(usageStore, recorder, clock);
  const gate = opened.use(
    new UsageGate(reservations, recorder, log, ({ orgId }, exceeded) => {
      for (const each of exceeded) notices.tell(orgId, budgetNotice(each));
    }),
  );
  const provider = await openPaymentProvider(config);
  return {
    gate,
    recorder,
    usage: new UsageService({ store: usageStore, recorder, gate, storage, clock, ids }),
    payments: new PaymentService(provider, store?.customers ?? noCustomerBindings, formOf(config)),
  };
}

/** What webhooks tell of a call over a budget, refused or not: once for each period. */
function budgetNotice({ budget, window }: BudgetInPeriod): WebhookNotice {
  const { id, scope, unit, period, action, setBy } = budget;
  const { sessionId, fromMs, untilMs } = window;
  const key = createHash("sha256")
    .update(JSON.stringify([id, sessionId, fromMs]))
    .digest("hex");
  return {
    type: "budget.exceeded",
    messageId: `msg_budget_${key.slice(0, 32)}`,
    data: {
      ...{ budget_id: id, scope, unit, period, action, set_by: setBy },
      limit: limitText(budget),
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      ...(untilMs === undefined ? {} : { resets_at: isoTime(untilMs) }),
    },
  };
}

/**
 * Stripe's library has more than 200 modules, so it is loaded only where payments are configured.
 */
export async function openPaymentProvider({
  payments,
}: Config): Promise<(PaymentProvider & PaymentPages) | undefined> {
  if (payments === undefined) return undefined;
  const { StripePaymentProvider } = await import("../../adapters/payment-stripe/index.js");
  return new StripePaymentProvider(payments);
}

function formOf({ payments }: Config): PaymentForm {
  const publishableKey = payments?.publishableKey;
  return publishableKey === undefined ? { kind: "redirect" } : { kind: "elements", publishableKey };
}
