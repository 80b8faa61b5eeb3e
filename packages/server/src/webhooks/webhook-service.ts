import { isoTime } from "@steward/kernel/clock.js";
import type { Caller } from "@steward/kernel/caller.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { attemptMessage, type AttemptAnswer, type AttemptParts } from "./attempt.js";
import {
  WEBHOOK_LEASE_MS,
  WEBHOOK_PAGE_MAX,
  WEBHOOK_RETRIES_MAX,
  WEBHOOK_TESTS_AT_ONCE_MAX,
} from "./limits.js";
import type { WebhookOutbox } from "./outbox.js";
import type { DeliveryFilter, DeliveryPlace, StoredDelivery, WebhookStore } from "./ports.js";
import type { WebhookTarget } from "./webhook-target.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";

/** Dependencies of the service. */
export interface WebhookServiceParts extends AttemptParts {
  readonly targets: readonly WebhookTarget[];
  readonly store: Pick<WebhookStore, "list" | "retry">;
  readonly outbox: Pick<WebhookOutbox, "wake">;
  readonly ids: Ids;
}

/** A page of an organization's deliveries. */
export interface DeliveryPage {
  readonly deliveries: readonly StoredDelivery[];
  readonly nextCursor?: string;
}

/** The result of a test message. */
export type TestedTarget = AttemptAnswer & {
  readonly messageId: string;
  readonly durationMs: number;
};

/**
 * The deliveries of the caller's organization that wait or have failed for good. Targets are named
 * and never shown: their URLs and secrets are the operator's.
 */
export class WebhookService {
  readonly #parts: WebhookServiceParts;
  readonly #tests = new Tally(WEBHOOK_TESTS_AT_ONCE_MAX);

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
  }

  /** @throws AppError `INVALID_ARGUMENT` for an invalid limit or cursor. */
  async list(
    { orgId }: Pick<Caller, "orgId">,
    filter: DeliveryFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  ): Promise<DeliveryPage> {
    if (limit < 1 || limit > WEBHOOK_PAGE_MAX) {
      throw invalidField("limit", `is 1 to ${String(WEBHOOK_PAGE_MAX)}`);
    }
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const found = await this.#parts.store.list(orgId, filter, { limit: limit + 1, after });
    const deliveries = found.slice(0, limit);
    const last = deliveries.at(-1);
    return found.length > limit && last !== undefined
      ? { deliveries, nextCursor: cursorOf(last) }
      : { deliveries };
  }

  /**
   * Sends again what has failed for good, and now what waits for its next attempt.
   * @returns how many deliveries, at most `WEBHOOK_RETRIES_MAX`.
   * @throws AppError `NOT_FOUND` for an unknown target, and for a message of which nothing waits.
   */
  async retry(
    { orgId, operation }: Pick<OperationCaller, "orgId" | "operation">,
    { target, messageId }: { readonly target?: string; readonly messageId?: string },
  ): Promise<number> {
    const { store, targets, clock, outbox } = this.#parts;
    const names =
      target === undefined ? targets.map(({ name }) => name) : [this.#target(target).name];
    const nowMs = clock.nowMs();
    // A delivery that is due within the time of a lease may be in progress, and is sent soon
    // anyway.
    const times = { nowMs, laterThanMs: nowMs + WEBHOOK_LEASE_MS };
    const which = { targets: names, messageId };
    const retried = await store.retry(orgId, which, times, WEBHOOK_RETRIES_MAX, operation);
    if (retried === 0 && messageId !== undefined) {
      throw new AppError(
        "NOT_FOUND",
        `No delivery of message ${messageId} has failed: it was accepted, is being sent now, or was deleted`,
      );
    }
    for (const name of names) outbox.wake(name);
    return retried;
  }

  /**
   * Sends a message of the type `webhook.test` to a target, once and at once.
   * @throws AppError `NOT_FOUND` for an unknown target; `QUOTA_EXCEEDED` while another test of the
   * organization runs.
   */
  async test(caller: Caller, name: string, signal: AbortSignal): Promise<TestedTarget> {
    const target = this.#target(name);
    const { orgId } = caller;
    const leave = this.#tests.enter(orgId);
    if (leave === undefined) {
      throw new AppError("QUOTA_EXCEEDED", "Your organization is testing a target already", {
        retryAfterMs: 1000,
      });
    }
    const { clock, ids } = this.#parts;
    const begunMs = clock.nowMs();
    const messageId = `msg_test_${ids.uuid()}`;
    const timestamp = isoTime(begunMs);
    const body = JSON.stringify({ type: "webhook.test", timestamp, data: { org_id: orgId } });
    try {
      const answer = await attemptMessage(target, { messageId, body }, this.#parts, signal);
      return { ...answer, messageId, durationMs: clock.nowMs() - begunMs };
    } finally {
      leave();
    }
  }

  #target(name: string): WebhookTarget {
    const { targets } = this.#parts;
    const found = targets.find((target) => target.name === name);
    if (found !== undefined) return found;
    const known = targets.map((target) => target.name).join(", ");
    const hint =
      known === ""
        ? "the tools file names no targets under webhooks"
        : `the tools file names ${known}`;
    throw new AppError("NOT_FOUND", `There is no webhook target of this name; ${hint}`);
  }
}

/** The cursor after a delivery, such as `1767225600000.ops.msg_0195a1c4-…_7`. */
function cursorOf({ deadAtMs, dueAtMs, target, messageId }: StoredDelivery): string {
  return `${String(deadAtMs ?? dueAtMs)}.${target}.${messageId}`;
}

function placeOf(cursor: string): DeliveryPlace {
  const [, atMs, target, messageId] =
    /^(\d{1,15})\.([\w-]{1,64})\.([\w-]{1,200})$/.exec(cursor) ?? [];
  if (target === undefined || messageId === undefined) {
    throw invalidField("cursor", "it is not the next_cursor of an earlier page");
  }
  return { atMs: Number(atMs), target, messageId };
}
