import { EmbeddingError, type BatchEmbeddingProvider } from "../embedding/index.js";
import { embeddedEntries } from "./embedded-entry.js";
import type { MemoryEntry } from "./entry.js";
import type { EmbeddedEntry } from "./ports.js";

/** Options for embedding a batch of entries. */
export interface EmbedEntriesOptions {
  readonly provider: BatchEmbeddingProvider;
  readonly signal: AbortSignal;
  /** Called for each entry whose text the provider refuses permanently; its vector is zeros. */
  readonly onRefused: (entryId: string) => void;
}

/**
 * Embeds entries.
 * @throws EmbeddingError when the provider fails for other reasons than a single text; the signal's
 * reason.
 */
export async function embedEntries(
  entries: readonly MemoryEntry[],
  options: EmbedEntriesOptions,
): Promise<readonly EmbeddedEntry[]> {
  return embeddedEntries(entries, await embedContents(entries, options));
}

/** The part of an entry that is embedded. */
type EntryContent = Pick<MemoryEntry, "entryId" | "content">;

/** The vectors of entries. @throws as {@link embedEntries} does. */
export async function embedContents(
  entries: readonly EntryContent[],
  options: EmbedEntriesOptions,
): Promise<readonly Float32Array[]> {
  const { provider, signal } = options;
  if (entries.length === 0) return [];
  const texts = entries.map((entry) => entry.content);
  try {
    return await provider.embedMany(texts, { inputType: "document", signal });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return oneByOne(entries, options);
  }
}

/**
 * A text that the provider refuses permanently, for example because it is too long for the model,
 * must not block all others. Its entry is stored with a vector of zeros, which no search prefers.
 * When the provider refuses every text of the batch, another text is tried: if that is refused too,
 * the provider is at fault.
 */
async function oneByOne(
  entries: readonly EntryContent[],
  { provider, signal, onRefused }: EmbedEntriesOptions,
): Promise<readonly Float32Array[]> {
  const vectors: (Float32Array | undefined)[] = [];
  for (const { content } of entries) {
    vectors.push(await unlessRefused(provider.embed(content, { inputType: "document", signal })));
  }
  if (vectors.every((vector) => vector === undefined)) await provider.embed("probe", { signal });
  for (const [index, { entryId }] of entries.entries()) {
    if (vectors[index] === undefined) onRefused(entryId);
  }
  const zeros = new Float32Array(provider.dimension());
  return vectors.map((vector) => vector ?? zeros);
}

/** Whether the provider cannot embed this particular text, now or later. */
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
