import type { AuditEvents, ToolCallLog } from "../kernel/tool-call.js";
import type { EventBus, Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "../kernel/log.js";
import { type BatchEnd, WorkerLoop } from "../kernel/worker-loop.js";

const CONSUMER = "event-bus";
/** Records read at once. */
const BATCH_MAX = 256;
/** How long the first of several calls waits for the others, in ms: one look at the log serves all. */
const GATHER_MS = 10;
/** How long a position waits before it is written, in ms: each write is a commit of its own. */
const ACKNOWLEDGE_AFTER_MS = 1000;

/**
 * Publishes every recorded tool call as `LlmToolCallAuditRecorded` (Contract §4.5, recording rule
 * 1), in the order of the log: at least once across a crash, told apart by `event_id`.
 */
export class AuditPublisher implements AsyncDisposable {
  readonly #calls: ToolCallLog;
  readonly #bus: EventBus<AuditEvents>;
  readonly #unsubscribe: Unsubscribe;
  readonly #publishing: WorkerLoop;
  readonly #acknowledging: WorkerLoop;
  #published: number;
  #acknowledged: number;

  private constructor(calls: ToolCallLog, bus: EventBus<AuditEvents>, log: Log, position: number) {
    this.#calls = calls;
    this.#bus = bus;
    this.#published = position;
    this.#acknowledged = position;
    this.#publishing = new WorkerLoop({
      name: "publishing tool calls",
      work: () => this.#publish(),
      gatherMs: GATHER_MS,
      begin: "now",
      end: "drain",
      log,
    });
    this.#acknowledging = new WorkerLoop({
      name: "acknowledging published tool calls",
      work: () => this.#acknowledge(),
      gatherMs: ACKNOWLEDGE_AFTER_MS,
      begin: "later",
      end: "drain",
      log,
    });
    this.#unsubscribe = calls.onRecorded(() => {
      this.#publishing.wake();
    });
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
    await this.#publishing[Symbol.asyncDispose]();
    await this.#acknowledging[Symbol.asyncDispose]();
  }

  async #publish(): Promise<BatchEnd> {
    const logged = await this.#calls.auditEventsAfter(this.#published, BATCH_MAX);
    for (const { event, sequence } of logged) {
      this.#bus.publish("LlmToolCallAuditRecorded", event);
      this.#published = sequence;
    }
    if (logged.length > 0) this.#acknowledging.wake();
    return logged.length === BATCH_MAX ? "more" : "idle";
  }

  async #acknowledge(): Promise<BatchEnd> {
    const position = this.#published;
    if (position !== this.#acknowledged) {
      await this.#calls.acknowledge(CONSUMER, position);
      this.#acknowledged = position;
    }
    return "idle";
  }
}
