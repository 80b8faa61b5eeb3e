import type { AuditEvents, ToolCallLog } from "../kernel/tool-call.js";
import type { EventBus, Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "../kernel/log.js";

const CONSUMER = "event-bus";
/** Records read at once. */
const BATCH_MAX = 256;
/** How long the first of several calls waits for the others, in ms: one look at the log serves all. */
const GATHER_MS = 10;
/** How long a position waits before it is written: each write is a commit of its own. */
const ACKNOWLEDGE_AFTER_MS = 1000;

/**
 * Publishes every recorded tool call as `LlmToolCallAuditRecorded` (Contract §4.5, recording rule
 * 1), in the order of the log: at least once across a crash, told apart by `event_id`.
 */
export class AuditPublisher implements AsyncDisposable {
  readonly #calls: ToolCallLog;
  readonly #bus: EventBus<AuditEvents>;
  readonly #log: Log;
  readonly #unsubscribe: Unsubscribe;
  #published = 0;
  #acknowledged = 0;
  #draining: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;

  private constructor(calls: ToolCallLog, bus: EventBus<AuditEvents>, log: Log, position: number) {
    this.#calls = calls;
    this.#bus = bus;
    this.#log = log;
    this.#published = position;
    this.#acknowledged = position;
    this.#unsubscribe = calls.onRecorded(() => {
      this.#gather ??= setTimeout(() => {
        this.#gather = undefined;
        this.#wake();
      }, GATHER_MS).unref();
    });
    this.#wake();
  }

  /** Starts where the last process stopped. */
  static async start(
    calls: ToolCallLog,
    bus: EventBus<AuditEvents>,
    log: Log,
  ): Promise<AuditPublisher> {
    return new AuditPublisher(calls, bus, log, await calls.position(CONSUMER));
  }

  /** Publishes what is waiting and remembers how far it came. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    clearTimeout(this.#gather);
    this.#wake();
    await this.#draining;
    await this.#acknowledge();
  }

  #wake(): void {
    this.#again = true;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  async #drain(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        const logged = await this.#calls.auditEventsAfter(this.#published, BATCH_MAX);
        for (const { event, sequence } of logged) {
          this.#bus.publish("LlmToolCallAuditRecorded", event);
          this.#published = sequence;
        }
        if (logged.length === BATCH_MAX) this.#again = true;
      }
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.#acknowledge();
      }, ACKNOWLEDGE_AFTER_MS).unref();
    } catch (error) {
      // The log is durable: the next wake reads the same records again.
      this.#log.warn({ err: error }, "tool calls could not be published");
    }
  }

  async #acknowledge(): Promise<void> {
    if (this.#published === this.#acknowledged) return;
    const position = this.#published;
    try {
      await this.#calls.acknowledge(CONSUMER, position);
      this.#acknowledged = position;
    } catch (error) {
      this.#log.warn({ err: error }, "the position in the tool-call log could not be kept");
    }
  }
}
