import type { Log } from "@steward/kernel/log.js";

/** Removes the subscription. Further calls have no effect. */
export type Unsubscribe = () => void;

/**
 * An in-process event bus: `Events` maps an event's name to its payload. Handlers are synchronous
 * and must not block. A handler that throws is logged, and the other handlers still run. The bus is
 * only a hint that something is there to read: whatever must survive a crash is read from the
 * durable record.
 */
export class EventBus<Events extends object> {
  readonly #handlers = new Map<keyof Events, Set<(payload: never) => void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Calls every handler of this event, in the order of subscription, before it returns. */
  publish<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    for (const handler of this.#handlers.get(name) ?? []) {
      try {
        (handler as (payload: Events[Name]) => void)(payload);
      } catch (error) {
        this.#log.error({ err: error, event: String(name) }, "event handler failed");
      }
    }
  }

  /** Registers `handler` for every later event of this name. */
  subscribe<Name extends keyof Events>(
    name: Name,
    handler: (payload: Events[Name]) => void,
  ): Unsubscribe {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }
}
