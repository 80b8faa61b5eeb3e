export type { NewDelivery } from "./outbox.js";

/** A message on its way to one target. */
export interface Delivery {
  readonly orgId: string;
  readonly target: string;
  /** The header `webhook-id`: the same in every attempt. */
  readonly messageId: string;
  /** JSON text. */
  readonly body: string;
  /** Number of the present attempt, from 1. */
  readonly attempt: number;
}

/** What became of an attempt. */
export type DeliveryEnd =
  | { readonly kind: "delivered" }
  | { readonly kind: "later"; readonly dueAtMs: number; readonly error: string }
  /** No further attempt is made. */
  | { readonly kind: "dead"; readonly atMs: number; readonly error: string };

/** The deliveries that wait. They are written in the transaction of what they tell about. */
export interface WebhookStore {
  /**
   * Takes deliveries to a target that are due, the longest due first, and starts an attempt of
   * each. No other server gets them before `leaseUntilMs`.
   */
  take(
    target: string,
    limit: number,
    times: { readonly nowMs: number; readonly leaseUntilMs: number },
  ): Promise<readonly Delivery[]>;

  /** Durable when it resolves. Does nothing when a later attempt has begun. */
  settle(delivery: Delivery, end: DeliveryEnd): Promise<void>;

  /** Deletes deliveries that are dead, or were last due, before this time. */
  purge(beforeMs: number): Promise<void>;
}

/** Sends messages over HTTP. */
export interface WebhookSender {
  /**
   * Posts a message. Redirects are not followed, and the body of the answer is not read.
   * @returns the status of the answer.
   * @throws Error, whose message holds no part of the URL, when there is no answer.
   */
  post(
    url: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<number>;
}
