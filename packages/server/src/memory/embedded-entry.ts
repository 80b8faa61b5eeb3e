import { assert } from "@steward/kernel/assert.js";
import type { MemoryEntry } from "./entry.js";
import type { EmbeddedEntry } from "./ports.js";
import { encodeVector, packCode } from "./exact-index/vector-code.js";
import type { IndexEntry } from "./vector-index.js";

/** An entry ready to be stored. @param vector all components finite. */
export function embeddedEntry(entry: MemoryEntry, vector: Float32Array): EmbeddedEntry {
  return { entry, vector, code: packCode(encodeVector(vector)) };
}

/**
 * Entries ready to be stored. Consecutive entries with bitwise equal vectors share one vector and
 * code: a provider with the same vector for every text needs only one encoding for the batch.
 * @param vectors one for each entry, all components finite.
 */
export function embeddedEntries(
  entries: readonly MemoryEntry[],
  vectors: readonly Float32Array[],
): readonly EmbeddedEntry[] {
  assert(vectors.length === entries.length, "there is a vector for each entry");
  const embedded: EmbeddedEntry[] = [];
  for (const [index, vector] of vectors.entries()) {
    const entry = entries[index];
    assert(entry !== undefined, "a vector belongs to an entry");
    const last = embedded.at(-1);
    const isRepeated = last !== undefined && isSameVector(vector, last.vector);
    embedded.push(isRepeated ? { ...last, entry } : embeddedEntry(entry, vector));
  }
  return embedded;
}

function isSameVector(a: Float32Array, b: Float32Array): boolean {
  return a === b || bytesOf(a).equals(bytesOf(b));
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The form of a stored entry for the index. */
export function indexEntry({ entry, code }: EmbeddedEntry): IndexEntry {
  const { orgId, entryId, createdAtMs } = entry;
  return { orgId, entryId, createdAtMs, code };
}
