import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddingError, type BatchEmbeddingProvider } from "../embedding/index.js";
import { assert } from "../kernel/assert.js";
import type { Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "../kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import type { ToolCallLog } from "../kernel/tool-call.js";
import { embeddedEntry, indexEntry } from "./embedded-entry.js";
import { toolCallEntry, type MemoryEntry } from "./entry.js";
import type { EmbeddedEntry, MemoryStore } from "./ports.js";
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
        if (recorded) await pause(REST * (performance.now() - startedMs), signal);
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
    const { store, index } = this.#options;
    const calls = await store.pendingToolCalls(BATCH_MAX);
    const last = calls.at(-1);
    if (last === undefined) return false;
    const entries = await this.#embedded(
      calls.map(({ record }) => toolCallEntry(record)),
      signal,
    );
    await store.addToolCallEntries(entries, last.sequence);
    await index.add(entries.map(indexEntry));
    return true;
  }

  async #embedded(
    entries: readonly MemoryEntry[],
    signal: AbortSignal,
  ): Promise<readonly EmbeddedEntry[]> {
    const { provider } = this.#options;
    const texts = entries.map((entry) => entry.content);
    try {
      const vectors = await provider.embedMany(texts, { inputType: "document", signal });
      return entries.map((entry, index) => embeddedEntry(entry, at(vectors, index)));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.#embeddedOneByOne(entries, signal);
    }
  }

  /**
   * One text that the provider refuses for good, such as one that is too long for the model, must not
   * hold up all others: its entry is kept with a vector of zeros, which no search prefers. The provider
   * must have taken another text meanwhile, or the trouble is its own.
   */
  async #embeddedOneByOne(
    entries: readonly MemoryEntry[],
    signal: AbortSignal,
  ): Promise<readonly EmbeddedEntry[]> {
    const { provider } = this.#options;
    const vectors: (Float32Array | undefined)[] = [];
    for (const { content } of entries) {
      vectors.push(await unlessRefused(provider.embed(content, { inputType: "document", signal })));
    }
    if (vectors.every((vector) => vector === undefined)) await provider.embed("probe", { signal });
    return entries.map((entry, index) =>
      embeddedEntry(entry, vectors[index] ?? this.#zeros(entry.entryId)),
    );
  }

  #zeros(entryId: string): Float32Array {
    const { provider, log, telemetry } = this.#options;
    telemetry.count("steward_memory_refused_total");
    log.error({ entryId }, "the provider refuses a tool call: its entry has a vector of zeros");
    return new Float32Array(provider.dimension());
  }
}

/** Whether it is this text that the provider cannot embed, now or later. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof EmbeddingError) || error.retryable) return false;
  return error.reason === "transport" || error.reason === "malformed_response";
}

async function unlessRefused(embedding: Promise<Float32Array>): Promise<Float32Array | undefined> {
  try {
    return await embedding;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function at(vectors: readonly Float32Array[], index: number): Float32Array {
  const vector = vectors[index];
  assert(vector !== undefined, "the provider has a vector for each text");
  return vector;
}

/** Ends early when the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
