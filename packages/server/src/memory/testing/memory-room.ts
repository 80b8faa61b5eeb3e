import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkerVectorIndex } from "../../adapters/vector-index-wasm/index.js";
import { CheckedProvider, type EmbeddingProvider } from "../../embedding/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { CommitWriter } from "../../storage/sqlite/commit-writer.js";
import { openSqliteStore, type SqliteStore } from "../../storage/sqlite/store.js";
import { loggedCallWrites } from "../../storage/sqlite/testing/logged-call.js";
import { MemoryHook } from "../memory-hook.js";
import { MemoryService } from "../memory-service.js";
import type { EmbeddingModel, EntryRefusals, MayRemember } from "../ports.js";
import { reembed, type ReembeddingProgress } from "../reembedding.js";

/** A test's directory, deleted after it. */
export class TestDirectory implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), "steward-memory-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

/** All memory services on a real SQLite store and a real search thread. */
export class MemoryRoom implements AsyncDisposable {
  readonly service: MemoryService;
  readonly index: WorkerVectorIndex;
  readonly store: SqliteStore;
  readonly #provider: CheckedProvider;
  readonly #path: string;
  #hook: MemoryHook | undefined;

  private constructor(
    path: string,
    store: SqliteStore,
    provider: CheckedProvider,
    refusals: EntryRefusals,
  ) {
    this.#path = path;
    this.#provider = provider;
    this.store = store;
    const source = store.memorySource;
    this.index = new WorkerVectorIndex(
      { dimension: provider.dimension(), source },
      silentLog,
      silentTelemetry,
    );
    this.service = new MemoryService({
      model: modelOf(provider),
      store: store.memory,
      index: this.index,
      provider,
      refusals,
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  }

  /** Opens the services in a directory; reopening simulates a restart. */
  static async open(
    directory: TestDirectory,
    provider: EmbeddingProvider,
    refusals: EntryRefusals = () => () => Promise.resolve(undefined),
  ): Promise<MemoryRoom> {
    const path = join(directory.path, "store.db");
    const store = openSqliteStore(path, systemClock, silentTelemetry);
    try {
      await store.memory.useModel(modelOf(provider));
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
    return new MemoryRoom(
      path,
      store,
      new CheckedProvider(provider, provider.dimension()),
      refusals,
    );
  }

  /** Starts the tool-call hook. */
  startHook(mayRemember: MayRemember = () => Promise.resolve(true)): MemoryHook {
    this.#hook ??= new MemoryHook({
      store: this.store.memory,
      index: this.index,
      provider: this.#provider,
      mayRemember,
      log: silentLog,
      telemetry: silentTelemetry,
    });
    return this.#hook;
  }

  /** Records tool calls like finished steps, without notifying the hook. */
  async recordToolCalls(records: readonly ToolCallRecord[]): Promise<void> {
    await using writer = new CommitWriter(this.#path, silentTelemetry);
    await writer.commit(records.flatMap(loggedCallWrites));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hook?.[Symbol.asyncDispose]();
    await this.index[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }
}

/** Re-embeds a closed store with a provider's vectors. */
export async function reembedRoom(
  directory: TestDirectory,
  provider: EmbeddingProvider,
): Promise<ReembeddingProgress> {
  await using store = openSqliteStore(
    join(directory.path, "store.db"),
    systemClock,
    silentTelemetry,
  );
  return await reembed({
    store: store.reembedding,
    provider: new CheckedProvider(provider, provider.dimension()),
    model: modelOf(provider),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onRefused: () => undefined,
    onUnreadable: () => undefined,
  });
}

function modelOf(provider: EmbeddingProvider): EmbeddingModel {
  return { name: `test@${String(provider.dimension())}`, dimension: provider.dimension() };
}
