import { shownJson } from "@steward/kernel/shown-text.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Log } from "@steward/kernel/log.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { WEBHOOK_NOTICES_MAX } from "./limits.js";
import type { WebhookOutbox } from "./outbox.js";
import type { WebhookStore } from "./ports.js";
import type { WebhookEvent } from "./webhook-target.js";

/**
 * An occurrence outside of plans, such as an exceeded budget, that an organization's targets are
 * told of.
 */
export interface WebhookNotice {
  readonly type: WebhookEvent;
  /** The same for the same occurrence, on every server and after a restart. */
  readonly messageId: string;
  readonly data: Readonly<Record<string, JsonValue>>;
}

/** Dependencies of the notices. */
interface WebhookNoticesParts {
  readonly outbox: WebhookOutbox;
  readonly store: Pick<WebhookStore, "add">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Sends messages about occurrences that belong to no transaction of a plan. Each server announces
 * an occurrence once. A receiver recognizes the same announcement by another server by its message
 * id.
 */
export class WebhookNotices {
  readonly #parts: WebhookNoticesParts;
  readonly #told = new RecentMap<true>(WEBHOOK_NOTICES_MAX);

  constructor(parts: WebhookNoticesParts) {
    this.#parts = parts;
  }

  /** Returns at once. A notice that could not be stored is stored when it is told again. */
  tell(orgId: string, { type, messageId, data }: WebhookNotice): void {
    const { outbox, store, clock, log } = this.#parts;
    const key = `${orgId} ${messageId}`;
    if (this.#told.get(key) === true) return;
    this.#told.set(key, true);
    const nowMs = clock.nowMs();
    const news = { type, timestamp: isoTime(nowMs), data: { org_id: orgId, ...data } };
    const body = shownJson(JSON.stringify(news));
    const deliveries = outbox
      .targetsOf(type)
      .map((target) => ({ orgId, target, messageId, body, dueAtMs: nowMs }));
    if (deliveries.length === 0) return;
    store.add(deliveries).then(
      () => {
        outbox.announce(deliveries);
      },
      (error: unknown) => {
        this.#told.delete(key);
        log.warn({ err: error, orgId, type }, "a webhook could not be stored");
      },
    );
  }
}
