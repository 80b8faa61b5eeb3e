import type { BatchEmbeddingProvider } from "../embedding/index.js";
import type { Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { TakenCalls } from "./calls-to-remember.js";
import { embedContents } from "./embed-entries.js";
import type { MayRemember, ToolCallMemory } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/** Tool calls embedded at once. */
const BATCH_MAX = 64;
/**
 * How long the first tool call waits for others, in ms: all calls that end within this time share a
 * commit.
 */
const GATHER_MS = 100;
/**
 * Minimum time between the starts of two batches, in ms. A batch takes a dozen statements, whatever its size, so
 * while agents run steps, few batches cost the store less.
 */
const INTERVAL_MS = 400;
/**
 * Pause after a batch during which agents ran steps, as a multiple of the time for which the event
 * loop was busy meanwhile. Waiting for a remote provider or for the disk does not count, because it
 * takes nothing from the steps. While no steps run, the hook does not pause.
 */
const REST = 4;
/** Maximum pause, in ms. */
const REST_MS_MAX = 1000;

/** Dependencies of the hook. */
export interface MemoryHookOptions {
  readonly store: ToolCallMemory;
  readonly index: VectorIndex;
  readonly provider: BatchEmbeddingProvider;
  readonly mayRemember: MayRemember;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/**
 * The tool-call hook (Contract §2.8): makes one entry of each recorded tool call, in the
 * background, from the durable log. While the provider or the store fails, the calls wait in the
 * log. No call is lost and none gets two entries, wherever the process ends. A call that policies
 * exclude from the memory is not sent to a provider and gets no entry, because an entry and its
 * vector are stored together (Decision §12).
 */
export class MemoryHook implements AsyncDisposable {
  readonly #options: MemoryHookOptions;
  readonly #unsubscribe: Unsubscribe;
  readonly #loop: WorkerLoop;
  /** Whether a tool call was recorded since the last batch began: agents are running steps. */
  #isBusy = false;
  /** The event loop's utilization when the last batch began. */
  #began = performance.eventLoopUtilization();

  /** Starts with the calls that a previous process has left in the log. */
  constructor(options: MemoryHookOptions) {
    this.#options = options;
    this.#loop = new WorkerLoop({
      name: "remembering tool calls",
      work: (signal) => this.#recordBatch(signal),
      gatherMs: GATHER_MS,
      intervalMs: INTERVAL_MS,
      restMs: () => this.#restMs(),
      begin: "now",
      end: "abandon",
      log: options.log,
    });
    this.#unsubscribe = options.store.toolCalls.onNews(() => {
      this.#isBusy = true;
      this.#loop.wake();
    });
  }

  /** The number of tool calls that wait for their entry, and whether the last attempt failed. */
  async backlog(): Promise<{ readonly waiting: number; readonly failing: boolean }> {
    const waiting = await this.#options.store.toolCalls.waiting();
    return { waiting, failing: this.#loop.isFailing };
  }

  /** Abandons the work in progress; the log still has the calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  #restMs(): number {
    if (!this.#isBusy) return 0;
    const { active } = performance.eventLoopUtilization(this.#began);
    return Math.min(REST * active, REST_MS_MAX);
  }

  async #recordBatch(signal: AbortSignal): Promise<BatchEnd> {
    this.#isBusy = false;
    this.#began = performance.eventLoopUtilization();
    const { store, index, provider, telemetry } = this.#options;
    const taken = await store.takeCalls(BATCH_MAX, this.#loop.setAside);
    if (taken.calls.length === 0) return taken.isCut ? "more" : "idle";
    const isPermitted = await this.#permitted(taken);
    const permitted = taken.calls.filter((_, at) => isPermitted[at]);
    const vectors = await embedContents(permitted, {
      provider,
      signal,
      onRefused: (entryId) => {
        this.#refused(entryId);
      },
    });
    const embedded = vectors.values();
    await index.add(
      await store.remember(
        taken,
        isPermitted.map((permits) => (permits ? embedded.next().value : undefined)),
      ),
    );
    for (let n = permitted.length; n < taken.calls.length; n += 1) {
      telemetry.count("steward_memory_forbidden_total");
    }
    return taken.isCut ? "more" : "idle";
  }

  /** For each call, whether policies permit its entry. */
  async #permitted({ calls, origins }: TakenCalls): Promise<readonly boolean[]> {
    const { mayRemember } = this.#options;
    const answers: boolean[] = [];
    for (const origin of origins) answers.push(await mayRemember(origin));
    return calls.map(({ origin }) => answers[origin] === true);
  }

  #refused(entryId: string): void {
    const { log, telemetry } = this.#options;
    telemetry.count("steward_memory_refused_total");
    log.error(
      { entryId },
      "the embedding provider refuses a tool call; its entry gets a vector of zeros",
    );
  }
}
