import { backoffMs } from "@steward/kernel/concurrency/backoff.js";
import { WorkerLoop, type BatchEnd } from "@steward/kernel/concurrency/worker-loop.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import { attemptMessage, type AttemptParts } from "./attempt.js";
import {
  WEBHOOK_AT_ONCE_MAX,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_DEAD_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_RETRY_BASE_MS,
  WEBHOOK_RETRY_CAP_MS,
} from "./limits.js";
import type { WebhookOutbox } from "./outbox.js";
import type { Delivery, DeliveryEnd, WebhookStore } from "./ports.js";
import type { WebhookTarget } from "./webhook-target.js";

/** Interval of polling for deliveries that became due or that another server abandoned, in ms. */
const POLL_MS = 1_000;
/** How often old deliveries are deleted, in ms. */
const PURGE_MS = 60 * 60 * 1000;
/** The answer of a receiver that wants no more messages. */
const GONE = 410;

const BACKOFF = { baseMs: WEBHOOK_RETRY_BASE_MS, capMs: WEBHOOK_RETRY_CAP_MS };

/** What deliveries need. */
export interface WebhookDeliveryOptions extends AttemptParts {
  readonly targets: readonly WebhookTarget[];
  readonly store: WebhookStore;
  readonly outbox: WebhookOutbox;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Random source in [0, 1) for the pauses between attempts. */
  readonly random?: () => number;
}

/**
 * Delivers messages, at least once each. Every target has a loop of its own, so that a slow one
 * delays no other. An attempt that ends without a record, because the server was killed, is
 * followed by another one after its lease.
 */
export class WebhookDelivery implements AsyncDisposable {
  readonly #options: WebhookDeliveryOptions;
  readonly #loops: readonly WorkerLoop[];

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
    const { targets, outbox, log } = options;
    const loops = targets.map((target) => {
      const loop = new WorkerLoop({
        name: `webhooks to ${target.name}`,
        work: (signal) => this.#deliver(target, signal),
        pollMs: POLL_MS,
        begin: "now",
        end: "abandon",
        log,
      });
      outbox.onNews(target.name, () => loop.wake());
      return loop;
    });
    const purge = new WorkerLoop({
      name: "deletion of old webhook deliveries",
      work: () => this.#purge(),
      pollMs: PURGE_MS,
      begin: "now",
      end: "abandon",
      log,
    });
    this.#loops = [...loops, purge];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
  }

  async #deliver(target: WebhookTarget, signal: AbortSignal): Promise<BatchEnd> {
    const { store, clock } = this.#options;
    const nowMs = clock.nowMs();
    const times = { nowMs, leaseUntilMs: nowMs + WEBHOOK_LEASE_MS };
    const taken = await store.take(target.name, WEBHOOK_AT_ONCE_MAX, times);
    // The lease of a delivery whose outcome could not be stored expires, and it is attempted again.
    const ends = await Promise.allSettled(
      taken.map((delivery) => this.#attempt(target, delivery, signal)),
    );
    const failure = ends.find((end) => end.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    return taken.length === WEBHOOK_AT_ONCE_MAX ? "more" : "idle";
  }

  async #attempt(target: WebhookTarget, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { store, log, telemetry } = this.#options;
    const end = await this.#send(target, delivery, signal);
    // The loop is ending and the outcome of the attempt is unknown, so its lease is left to expire.
    if (end.kind !== "delivered" && signal.aborted) return;
    await store.settle(delivery, end);
    const outcome = end.kind === "later" ? "failed" : end.kind;
    telemetry.count("steward_webhook_attempts_total", { target: target.name, outcome });
    const { messageId, attempt } = delivery;
    const fields = { target: target.name, messageId, attempt };
    if (end.kind === "delivered") log.debug(fields, "webhook delivered");
    else if (end.kind === "later") log.info({ ...fields, error: end.error }, "webhook failed");
    else log.error({ ...fields, error: end.error }, "webhook failed for good");
  }

  async #send(
    target: WebhookTarget,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<DeliveryEnd> {
    let answer;
    try {
      answer = await attemptMessage(target, delivery, this.#options, signal);
    } catch (error) {
      // A delivery that cannot be sent at all is given up like one that is never accepted.
      return this.#failed(delivery, AppError.from(error).message, false);
    }
    if (answer.kind === "accepted") return { kind: "delivered" };
    const isFinal = answer.kind === "refused" && answer.status === GONE;
    return this.#failed(delivery, answer.error, isFinal);
  }

  #failed({ attempt }: Delivery, error: string, isFinal: boolean): DeliveryEnd {
    const { clock, random = Math.random } = this.#options;
    const nowMs = clock.nowMs();
    if (isFinal || attempt >= WEBHOOK_ATTEMPTS_MAX) return { kind: "dead", atMs: nowMs, error };
    return { kind: "later", dueAtMs: nowMs + backoffMs(BACKOFF, attempt, random()), error };
  }

  async #purge(): Promise<BatchEnd> {
    const { store, clock } = this.#options;
    await store.purge(clock.nowMs() - WEBHOOK_DEAD_MS);
    return "idle";
  }
}
