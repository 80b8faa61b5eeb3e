import type { BatchEmbeddingProvider } from "../embedding/index.js";
import { embedEntries } from "./embed-entries.js";
import type { MemoryEntry } from "./entry.js";
import type { EmbeddingModel, OnUnreadable, ReembeddingStore } from "./ports.js";

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
  /** Called once for each entry that cannot be read: it gets no vector, and no search finds it. */
  readonly onUnreadable: OnUnreadable;
}

/**
 * Gives every entry a vector of another model beside the present one, then switches the store to
 * that model, then deletes the old vectors. It repeats the search for entries that others add
 * meanwhile until every entry that can be read has a vector. A re-embedding that was interrupted at any
 * point continues when it is started again, and then also embeds what could not be read before.
 * @returns the final counts.
 * @throws EmbeddingError, AppError `STORE_UNAVAILABLE`; the signal's reason.
 */
export async function reembed(options: ReembeddingOptions): Promise<ReembeddingProgress> {
  const { store, model, signal, onProgress } = options;
  const unreadable = new Set<string>();
  const onUnreadable: OnUnreadable = (entryId, error) => {
    if (!unreadable.has(entryId)) options.onUnreadable(entryId, error);
    unreadable.add(entryId);
  };
  do {
    let progress = await store.begin(model);
    onProgress(progress);
    for await (const entries of store.entriesWithout(model, BATCH, onUnreadable)) {
      signal.throwIfAborted();
      await store.addVectors(model, await embedEntries(entries, options));
      progress = { ...progress, done: progress.done + entries.length };
      onProgress(progress);
    }
  } while (!(await store.activate(model, (entries) => embedEntries(entries, options))));
  while (await store.deleteOtherVectors(model, DELETED_MAX)) signal.throwIfAborted();
  return store.begin(model);
}

/** The entries in rows; one that cannot be read must not stop the others. */
export function readableEntries<Row extends { readonly entry_id: string }>(
  rows: readonly Row[],
  read: (row: Row) => MemoryEntry,
  onUnreadable: OnUnreadable,
): readonly MemoryEntry[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      onUnreadable(row.entry_id, error);
      return [];
    }
  });
}
