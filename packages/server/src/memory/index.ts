/**
 * Memory: what an agent's tool calls and notes left behind, and how it is found again.
 *
 * Glossary. **Entry**: one remembered JSON text. **Vector**: its embedding, float32. **Code**: the
 * vector in a quarter of its bytes. **Slab**: rows of codes that belong to one organization.
 * **Filter**: the pass over the codes. **Kernel**: what runs it. **Suspect**: a row that the filter
 * cannot rule out. **Hit**: an entry found, with its score. **Source**: where the index reads vectors.
 */
export { toolCallEntryId, type EntryDraft, type MemoryEntry } from "./entry.js";
export { ExactIndex, type ExactIndexOptions } from "./exact-index.js";
export {
  SLAB_ROWS_MAX,
  type FilterKernel,
  type SlabColumns,
  type Survivors,
} from "./filter-kernel.js";
export { JsKernel } from "./js-kernel.js";
export { MemoryHook, type MemoryHookOptions } from "./memory-hook.js";
export {
  MemoryService,
  type EntryPage,
  type MemoryServiceOptions,
  type MemoryState,
  type SearchResult,
} from "./memory-service.js";
export { noMemoryStore, noVectorIndex } from "./no-memory-store.js";
export type { QueryCode } from "./query-code.js";
export { reembed, type ReembeddingOptions, type ReembeddingProgress } from "./reembedding.js";
export { RetentionSweeper, type RetentionSweeperOptions } from "./retention-sweeper.js";
export type { SearchRequest } from "./search-request.js";
export { compareHits, type Hit, type Ranks } from "./top-k.js";
export { encodeVector, packCode, type VectorCode } from "./vector-code.js";
export type {
  EntryFilter,
  IndexEntry,
  IndexQuery,
  IndexSource,
  IndexStats,
  TextQuery,
  VectorIndex,
} from "./vector-index.js";
