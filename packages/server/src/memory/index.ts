/**
 * Memory: entries for agents' tool calls and notes, and the search over them.
 *
 * Glossary. **Entry**: one stored JSON text. **Vector**: its embedding, float32. **Code**: an
 * approximation of the vector in a quarter of its bytes. **Hit**: an entry that a search found,
 * with its score. **Source**: reads stored vectors for the index. The terms of the index are in
 * `exact-index/exact-index.ts`.
 */
export { CallsToRemember, type TakenCalls } from "./calls-to-remember.js";
export { indexEntry } from "./embedded-entry.js";
export { toolCallEntryId, type MemoryEntry } from "./entry.js";
export { ExpiredEntries } from "./expired-entries.js";
export { ExactIndex } from "./exact-index/exact-index.js";
export {
  SLAB_ROWS_MAX,
  type FilterKernel,
  type SlabColumns,
  type Survivors,
} from "./exact-index/filter-kernel.js";
export { JsKernel } from "./exact-index/js-kernel.js";
export { MemoryHook } from "./memory-hook.js";
export {
  MemoryService,
  type EntryPage,
  type MemoryState,
  type SearchResult,
} from "./memory-service.js";
export { noMemoryStore, noVectorIndex } from "./no-memory-store.js";
export type { QueryCode } from "./exact-index/query-code.js";
export { readableEntries, reembed, type ReembeddingProgress } from "./reembedding.js";
export type { SearchRequest } from "./search-request.js";
export { bestWordMatches, firstByWords, queryWords } from "./exact-index/word-ranking.js";
export { cosineTo } from "./exact-index/cosine.js";
export { type Hit } from "./exact-index/top-k.js";
export { encodeVector, packCode, type VectorCode } from "./exact-index/vector-code.js";
export type {
  EntryFilter,
  IndexEntry,
  IndexQuery,
  IndexSource,
  IndexStats,
  TextQuery,
  VectorIndex,
} from "./vector-index.js";
