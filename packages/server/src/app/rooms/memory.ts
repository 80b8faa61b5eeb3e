import { embeddingModelName, openEmbeddingProvider } from "../../adapters/embedding-provider.js";
import type { PromTelemetry } from "../../adapters/metrics-prom/index.js";
import { WorkerVectorIndex } from "../../adapters/vector-index-wasm/index.js";
import type { Config } from "../../config/index.js";
import {
  CheckedProvider,
  EmbeddingError,
  probeProvider,
  type EmbeddingProvider,
} from "../../embedding/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { StorageGate } from "@steward/kernel/storage-gate.js";
import {
  ExpiredEntries,
  MemoryHook,
  MemoryService,
  noMemoryStore,
  noVectorIndex,
} from "../../memory/index.js";
import type { EntryRefusals, MayRemember, RelatedTablesLookup } from "../../memory/ports.js";
import { coveringHold } from "../../retention/index.js";
import type { Store } from "../../storage/store.js";

/** How long startup waits for a test vector of the provider, in ms. */
const PROBE_MS = 10_000;

/** Dependencies of memory. */
export interface MemoryParts {
  readonly config: Pick<Config, "embedding" | "cascadeEnrichment">;
  readonly relatedTables: RelatedTablesLookup;
  readonly mayRemember: MayRemember;
  /** Who may have which entries. */
  readonly refusals: EntryRefusals;
  /** Asked before a caller's entry is added. */
  readonly storage: StorageGate;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: PromTelemetry;
  /** Absent: every operation returns an error that names the missing setting. */
  readonly store: Store | undefined;
  /** Replaces the configured provider. */
  readonly provider: EmbeddingProvider | undefined;
}

/** The open memory services. */
export interface OpenMemory {
  readonly service: MemoryService;
  readonly provider: CheckedProvider;
  /** Deletes expired entries; absent without a store. */
  readonly expired?: ExpiredEntries;
  /** The present problem, for people; `ok` when there is none. It answers quickly. */
  readonly state: () => Promise<string>;
}

/**
 * Opens memory: requests a test vector from the provider, binds the store to its model, and starts
 * the tool-call hook. The search index of a store with entries is loaded in the background; without
 * entries, the first search starts the search thread.
 * @throws AppError `INVALID_ARGUMENT` with the fix when provider, dimension and store do not match.
 */
export async function openMemory(parts: MemoryParts, opened: DisposalStack): Promise<OpenMemory> {
  const { store, clock, ids, log, telemetry } = parts;
  const { dimension } = parts.config.embedding;
  const model = { name: modelName(parts), dimension };
  const provider = await openProvider(parts.config.embedding, parts);
  if (store === undefined) {
    const service = new MemoryService({
      store: noMemoryStore,
      index: noVectorIndex,
      provider,
      model,
      clock,
      ids,
    });
    return { service, provider, state: () => Promise.resolve("none") };
  }
  await store.memory.useModel(model);
  const index = opened.use(
    new WorkerVectorIndex({ dimension, source: store.memorySource }, log, telemetry),
  );
  const following = await store.followMemory?.(index);
  if (following !== undefined) opened.use(following);
  if (await store.memory.hasEntries()) index.load();
  const hook = opened.use(
    new MemoryHook({
      store: store.memory,
      index,
      provider,
      mayRemember: parts.mayRemember,
      log,
      telemetry,
    }),
  );
  telemetry.measure("steward_memory_waiting_calls", async () => (await hook.backlog()).waiting);
  telemetry.measure("steward_memory_quarantined_vectors", () => index.quarantined());
  const { cascadeEnrichment } = parts.config;
  const service = new MemoryService({
    ...{ store: store.memory, index, provider, model, storage: parts.storage, clock, ids },
    refusals: parts.refusals,
    heldBy: async (orgId, sessionId) =>
      coveringHold(await store.retention.holds(orgId), { scope: "session", subject: sessionId })
        ?.holdId,
    ...(cascadeEnrichment ? { relatedTables: parts.relatedTables } : {}),
  });
  const expired = new ExpiredEntries(store.memory, index);
  return { service, provider, expired, state: () => stateOf(hook, index) };
}

/**
 * The configured provider, or a program's own, after a successful test.
 * @throws AppError `INVALID_ARGUMENT` with the fix when the test fails.
 */
export async function openProvider(
  embedding: Config["embedding"],
  { clock, ids, log, provider: own }: Pick<MemoryParts, "clock" | "ids" | "log" | "provider">,
): Promise<CheckedProvider> {
  try {
    const opened = own ?? (await openEmbeddingProvider(embedding, { clock, ids }));
    const provider = new CheckedProvider(opened, embedding.dimension);
    const probe = await probeProvider(provider, PROBE_MS);
    if (probe.kind === "unreachable") {
      log.warn({ err: probe.error }, "the embedding provider cannot be reached yet");
    }
    return provider;
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    throw new AppError("INVALID_ARGUMENT", `Embedding: ${error.message}`, { cause: error });
  }
}

/** A program's own provider is identified by the model name that it gives. */
function modelName({ config: { embedding }, provider }: MemoryParts): string {
  const name = embeddingModelName(embedding);
  return provider === undefined ? name : `custom:${name}`;
}

async function stateOf(hook: MemoryHook, index: WorkerVectorIndex): Promise<string> {
  const { waiting, failing } = await hook.backlog();
  const loading = index.loading();
  const troubles = [
    ...(loading === undefined
      ? []
      : [`the search index is loading, ${String(loading)} entries so far; searches wait for it`]),
    ...(failing ? [`${String(waiting)} tool calls wait for their memory; it is tried again`] : []),
    ...(index.quarantined() > 0
      ? [`${String(index.quarantined())} stored vectors are damaged and not searched`]
      : []),
  ];
  return troubles.length === 0 ? "ok" : troubles.join("; ");
}
