import type { MemoryEntry } from "./entry.js";
import type { EmbeddedEntry } from "./ports.js";
import { encodeVector, packCode } from "./vector-code.js";
import type { IndexEntry } from "./vector-index.js";

/** An entry ready to be stored. @param vector all components finite. */
export function embeddedEntry(entry: MemoryEntry, vector: Float32Array): EmbeddedEntry {
  return { entry, vector, code: packCode(encodeVector(vector)) };
}

/** What the index is told of a stored entry. */
export function indexEntry({ entry, code }: EmbeddedEntry): IndexEntry {
  const { orgId, entryId, createdAtMs } = entry;
  return { orgId, entryId, createdAtMs, code };
}
