import { setTimeout as sleep } from "node:timers/promises";
import type { BatchEmbeddingProvider } from "../embedding/index.js";
import type { Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "../kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import type { ToolCallLog } from "../kernel/tool-call.js";
import { embedEntries } from "./embed-entries.js";
import { indexEntry } from "./embedded-entry.js";
import { toolCallEntry } from "./entry.js";
import type { MemoryStore } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/** Tool calls embedded at once. */
const BATCH_MAX = 64;
/** How long the first tool call waits for others, in ms: those of that time share one commit. */
const GATHER_MS = 100;
/**
 * Pause after a batch, in times that the batch took: whatever waits in the log, agents' steps come
 * first and the hook keeps to a share of the machine.
 */
const REST = 4;
/** Longest such pause, in ms: a batch may have taken long only because the provider is far away. */
const REST_MS_MAX = 1000;
/** First pause after a failure, in ms; doubles each time. */
const BACKOFF_BASE_MS = 250;
/** Longest pause after a failure, in ms. */
const BACKOFF_CAP_MS = 30_000;

/** What the hook is built on. */
export interface MemoryHookOptions {
  readonly store: MemoryStore;
  readonly index: VectorIndex;
  readonly provider: BatchEmbeddingProvider;
  readonly toolCalls: Pick<ToolCallLog, "onRecorded">;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/**
 * The tool-call hook (Contract §2.8): makes each recorded tool call one entry, in the background, from
 * the durable log. While the provider or the store fails, the calls wait in the log; nothing is lost
 * and nothing is made twice, wherever the process ends.
 */
export class MemoryHook implements AsyncDisposable {
  readonly #options: MemoryHookOptions;
  readonly #closing = new AbortController();
  readonly #unsubscribe: Unsubscribe;
  readonly #running: Promise<void>;
  /** Whether the log may hold more than was last seen. */
  #stirred = false;
  #wake: () => void = () => undefined;
  #failures = 0;

  /** Starts with what a former process has left in the log. */
  constructor(options: MemoryHookOptions) {
    this.#options = options;
    this.#unsubscribe = options.toolCalls.onRecorded(() => {
      this.#stirred = true;
      this.#wake();
    });
    this.#running = this.#run(this.#closing.signal);
  }

  /** How many tool calls wait for their entry, and whether the last try failed. */
  async backlog(): Promise<{ readonly waiting: number; readonly failing: boolean }> {
    const waiting = await this.#options.store.countPendingToolCalls();
    return { waiting, failing: this.#failures > 0 };
  }

  /** Gives up what is under way: the log keeps it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#closing.abort(new Error("the memory hook is closing"));
    this.#wake();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const startedMs = performance.now();
        const recorded = await this.#recordBatch(signal);
        this.#failures = 0;
        const restMs = Math.min(REST * (performance.now() - startedMs), REST_MS_MAX);
        if (recorded) await pause(restMs, signal);
        else await this.#stir(signal);
      } catch (error) {
        await this.#backOff(error, signal);
      }
    }
  }

  async #backOff(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#failures += 1;
    const pauseMs = Math.min(BACKOFF_BASE_MS * 2 ** (this.#failures - 1), BACKOFF_CAP_MS);
    this.#options.log.warn({ err: error, pauseMs }, "tool calls could not be remembered yet");
    await pause(pauseMs, signal);
  }

  /** Waits until the log may hold more, and then a little for others to join. */
  async #stir(signal: AbortSignal): Promise<void> {
    if (!this.#stirred) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    await pause(GATHER_MS, signal);
    this.#stirred = false;
  }

  /** @returns false when nothing waits. */
  async #recordBatch(signal: AbortSignal): Promise<boolean> {
    const { store, index, provider } = this.#options;
    const calls = await store.pendingToolCalls(BATCH_MAX);
    const last = calls.at(-1);
    if (last === undefined) return false;
    const entries = await embedEntries(
      calls.map(({ record }) => toolCallEntry(record)),
      {
        provider,
        signal,
        onRefused: (entryId) => {
          this.#refused(entryId);
        },
      },
    );
    await store.addToolCallEntries(entries, last.sequence);
    await index.add(entries.map(indexEntry));
    return true;
  }

  #refused(entryId: string): void {
    const { log, telemetry } = this.#options;
    telemetry.count("steward_memory_refused_total");
    log.error({ entryId }, "the provider refuses a tool call: its entry has a vector of zeros");
  }
}

/** Ends early when the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
