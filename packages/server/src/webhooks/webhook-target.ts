/** The events that targets are told of. */
export const WEBHOOK_EVENTS = [
  "plan.completed",
  "plan.failed",
  "plan.cancelled",
  "approval.requested",
  "approval.decided",
  "approval.void",
  "approval.expired",
  "budget.exceeded",
] as const;

/** One of {@link WEBHOOK_EVENTS}. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** A receiver of messages, which the operator has named. */
export interface WebhookTarget {
  readonly name: string;
  /** Never shown: it may hold a secret. */
  readonly url: string;
  /** `whsec_…`, one or two: a message is signed with each, so that a receiver can change its secret. */
  readonly secrets: readonly string[];
  readonly events: readonly WebhookEvent[];
}
