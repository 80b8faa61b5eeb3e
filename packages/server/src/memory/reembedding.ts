import type { BatchEmbeddingProvider } from "../embedding/index.js";
import { embedEntries } from "./embed-entries.js";
import type { EmbeddingModel, ReembeddingStore } from "./ports.js";

/** Entries embedded at once, and stored in one commit. */
const BATCH = 64;
/** Vectors of other models deleted in one commit. */
const DELETED_MAX = 500;

/** Progress of a re-embedding. */
export interface ReembeddingProgress {
  /** Entries that have a vector of the new model. */
  readonly done: number;
  readonly total: number;
}

/** Dependencies of a re-embedding. */
export interface ReembeddingOptions {
  readonly store: ReembeddingStore;
  readonly provider: BatchEmbeddingProvider;
  /** The model of the provider's vectors. */
  readonly model: EmbeddingModel;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReembeddingProgress) => void;
  /** Called for each entry whose text the provider refuses permanently; its vector is zeros. */
  readonly onRefused: (entryId: string) => void;
}

/**
 * Gives every entry a vector of another model beside the present one, then switches the store to
 * that model, then deletes the old vectors. It repeats the search for entries that others add
 * meanwhile until every entry has a vector. A re-embedding that was interrupted at any point
 * continues when it is started again.
 * @returns the final counts.
 * @throws EmbeddingError, AppError `STORE_UNAVAILABLE`; the signal's reason.
 */
export async function reembed(options: ReembeddingOptions): Promise<ReembeddingProgress> {
  const { store, model, signal, onProgress } = options;
  do {
    let progress = await store.begin(model);
    onProgress(progress);
    for await (const entries of store.entriesWithout(model, BATCH)) {
      signal.throwIfAborted();
      await store.addVectors(model, await embedEntries(entries, options));
      progress = { ...progress, done: progress.done + entries.length };
      onProgress(progress);
    }
  } while (!(await store.activate(model, (entries) => embedEntries(entries, options))));
  while (await store.deleteOtherVectors(model, DELETED_MAX)) signal.throwIfAborted();
  return store.begin(model);
}
