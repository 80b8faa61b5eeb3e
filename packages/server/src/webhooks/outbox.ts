import { shownJson } from "@steward/kernel/shown-text.js";
import type { WebhookEvent, WebhookTarget } from "./webhook-target.js";

/**
 * The type of the message about an approval that became void. The plan's log has no event for it.
 */
export const APPROVAL_VOID = "ApprovalVoid";

/** The members of a plan's event that a message contains, or {@link APPROVAL_VOID}. */
export interface PlanNews {
  /** Absent: it follows from the event's place in the log. */
  readonly messageId?: string;
  readonly planId: string;
  readonly sequence: number;
  readonly eventType: string;
  readonly payloadJson: string;
  readonly timestamp: string;
}

/** A delivery to be stored with the event that it tells of. */
export interface NewDelivery {
  readonly orgId: string;
  readonly target: string;
  readonly messageId: string;
  readonly body: string;
  readonly dueAtMs: number;
}

const EVENT_NAMES: ReadonlyMap<string, WebhookEvent> = new Map([
  ["PlanCompleted", "plan.completed"],
  ["PlanFailed", "plan.failed"],
  ["PlanCancelled", "plan.cancelled"],
  ["PlanApprovalRequested", "approval.requested"],
  ["PlanApprovalDecided", "approval.decided"],
  ["PlanApprovalExpired", "approval.expired"],
  [APPROVAL_VOID, "approval.void"],
]);

/** Makes the messages that a store writes together with the events of plans. */
export class WebhookOutbox {
  readonly #targets: readonly WebhookTarget[];
  readonly #listeners = new Map<string, () => void>();

  constructor(targets: readonly WebhookTarget[]) {
    this.#targets = targets;
  }

  /** The deliveries of events; usually there are none. @param newsOf called only when there are targets. */
  deliveriesOf(orgId: string, newsOf: () => readonly PlanNews[]): readonly NewDelivery[] {
    if (this.#targets.length === 0) return [];
    return newsOf().flatMap((event) => {
      const type = EVENT_NAMES.get(event.eventType);
      if (type === undefined) return [];
      const message = messageOf(orgId, type, event);
      return this.targetsOf(type).map((target) => ({ ...message, target }));
    });
  }

  /** The names of the targets that want an event. */
  targetsOf(type: WebhookEvent): readonly string[] {
    return this.#targets.filter(({ events }) => events.includes(type)).map(({ name }) => name);
  }

  /** Announces that deliveries were committed. */
  announce(deliveries: readonly NewDelivery[]): void {
    if (deliveries.length === 0) return;
    for (const target of new Set(deliveries.map((delivery) => delivery.target))) this.wake(target);
  }

  /** Wakes the loop of a target, which then looks for deliveries. */
  wake(target: string): void {
    this.#listeners.get(target)?.();
  }

  /** @param wake called when there may be deliveries to a target. */
  onNews(target: string, wake: () => void): void {
    this.#listeners.set(target, wake);
  }
}

function messageOf(
  orgId: string,
  type: WebhookEvent,
  { planId, sequence, payloadJson, timestamp, messageId }: PlanNews,
): Omit<NewDelivery, "target"> {
  const data = { org_id: orgId, plan_id: planId, sequence, ...toldOf(payloadJson) };
  return {
    orgId,
    // An event has one place in its plan's log, so the id is known before the message is stored.
    messageId: messageId ?? `msg_${planId}_${String(sequence)}`,
    body: shownJson(JSON.stringify({ type, timestamp, data })),
    dueAtMs: Date.parse(timestamp),
  };
}

/**
 * What a message holds of an event. It has no reader whom policies could decide about, so that it
 * holds nothing from rows: the error of a statement repeats names and values of the database.
 */
function toldOf(payloadJson: string): Readonly<Record<string, unknown>> {
  // Written by the plans' own code.
  const payload = JSON.parse(payloadJson) as Readonly<Record<string, unknown>>;
  const { failed_step_id: stepId } = payload;
  if (typeof stepId !== "string") return payload;
  return { ...payload, reason: `Step ${stepId} failed: its error is in the plan` };
}
