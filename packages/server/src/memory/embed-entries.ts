import { EmbeddingError, type BatchEmbeddingProvider } from "../embedding/index.js";
import { embeddedEntries } from "./embedded-entry.js";
import type { MemoryEntry } from "./entry.js";
import type { EmbeddedEntry } from "./ports.js";

/** How a batch of entries is embedded. */
export interface EmbedEntriesOptions {
  readonly provider: BatchEmbeddingProvider;
  readonly signal: AbortSignal;
  /** Called for each entry whose text the provider refuses for good: its vector is zeros. */
  readonly onRefused: (entryId: string) => void;
}

/**
 * Entries with their vectors.
 * @throws EmbeddingError when the provider fails for other reasons than a text; the signal's reason.
 */
export async function embedEntries(
  entries: readonly MemoryEntry[],
  options: EmbedEntriesOptions,
): Promise<readonly EmbeddedEntry[]> {
  const { provider, signal } = options;
  if (entries.length === 0) return [];
  const texts = entries.map((entry) => entry.content);
  try {
    const vectors = await provider.embedMany(texts, { inputType: "document", signal });
    return embeddedEntries(entries, vectors);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return oneByOne(entries, options);
  }
}

/**
 * One text that the provider refuses for good, such as one that is too long for the model, must not stop
 * all others. Its entry is stored with a vector of zeros, which no search prefers. A provider that refuses
 * every text of the batch is asked for another one: when it refuses that too, the fault is the provider's.
 */
async function oneByOne(
  entries: readonly MemoryEntry[],
  { provider, signal, onRefused }: EmbedEntriesOptions,
): Promise<readonly EmbeddedEntry[]> {
  const vectors: (Float32Array | undefined)[] = [];
  for (const { content } of entries) {
    vectors.push(await unlessRefused(provider.embed(content, { inputType: "document", signal })));
  }
  if (vectors.every((vector) => vector === undefined)) await provider.embed("probe", { signal });
  for (const [index, { entryId }] of entries.entries()) {
    if (vectors[index] === undefined) onRefused(entryId);
  }
  const zeros = new Float32Array(provider.dimension());
  return embeddedEntries(
    entries,
    vectors.map((vector) => vector ?? zeros),
  );
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
