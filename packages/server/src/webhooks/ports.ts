import type { NewDelivery } from "./outbox.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

export type { NewDelivery };

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

/** A delivery that no target has accepted yet. */
export interface StoredDelivery extends Pick<Delivery, "orgId" | "target" | "messageId" | "body"> {
  /** Attempts so far; the present one is included. */
  readonly attempts: number;
  /** When the next attempt is made, in ms since the epoch; of a dead one, the last attempt. */
  readonly dueAtMs: number;
  /** When it failed for good; absent: it is still waiting to be delivered. */
  readonly deadAtMs?: number;
  /** Why the last attempt failed; absent: none has. */
  readonly error?: string;
}

/** Conditions for a listing. */
export interface DeliveryFilter {
  readonly target?: string | undefined;
  readonly status?: "waiting" | "dead" | undefined;
}

/** The place of a delivery in a listing. */
export interface DeliveryPlace extends Pick<Delivery, "target" | "messageId"> {
  /** When it failed for good, or is due; ms since the epoch. */
  readonly atMs: number;
}

/** What became of an attempt. */
export type DeliveryEnd =
  | { readonly kind: "delivered" }
  | { readonly kind: "later"; readonly dueAtMs: number; readonly error: string }
  /** No further attempt is made. */
  | { readonly kind: "dead"; readonly atMs: number; readonly error: string };

/**
 * The deliveries that wait. Those about plans are written in the transaction of what they tell
 * about. Errors of each method: `STORE_UNAVAILABLE` when the store cannot be reached.
 */
export interface WebhookStore {
  /**
   * Stores deliveries that belong to no transaction of a plan. A delivery that is already stored is
   * not changed.
   */
  add(deliveries: readonly NewDelivery[]): Promise<void>;

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

  /**
   * An organization's deliveries, by the time when they failed for good or are due, the latest
   * first.
   */
  list(
    orgId: string,
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly after?: DeliveryPlace | undefined },
  ): Promise<readonly StoredDelivery[]>;

  /**
   * Makes deliveries due now, with all attempts before them: those that are dead, and those whose
   * next attempt is after `laterThanMs`.
   * @param which deliveries to these targets; with a message id, only those of this message.
   * @returns how many; fewer than `limit` when no more are left.
   */
  retry(
    orgId: string,
    which: { readonly targets: readonly string[]; readonly messageId?: string | undefined },
    times: { readonly nowMs: number; readonly laterThanMs: number },
    limit: number,
    operation?: RecordedOperation,
  ): Promise<number>;

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
