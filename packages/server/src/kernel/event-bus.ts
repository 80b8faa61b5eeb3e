import type { Log } from "./log.js";

/** Removes the subscription it came from; calling it twice is harmless. */
export type Unsubscribe = () => void;

/**
 * An in-process bus: `Events` maps an event's name to its payload. Handlers are synchronous and
 * must not block; one that throws is logged and disturbs nobody. What must survive a crash is read
 * from the durable record, the bus only says that there is something to read.
 */
export class EventBus<Events extends object> {
  readonly #handlers = new Map<keyof Events, Set<(payload: never) => void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Calls every handler of this name, in the order of subscription, before it returns. */
  publish<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    for (const handler of this.#handlers.get(name) ?? []) {
      try {
        (handler as (payload: Events[Name]) => void)(payload);
      } catch (error) {
        this.#log.error({ err: error, event: String(name) }, "event handler failed");
      }
    }
  }

  /** Has `handler` called with every later payload of this name. */
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
