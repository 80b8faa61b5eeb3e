/**
 * The exact index in a thread of its own, on WebAssembly SIMD where there is one.
 *
 * Glossary. **Source module**: what the thread loads to read the store for itself.
 */
export { WorkerVectorIndex } from "./worker-vector-index.js";
export type { SourceModule, WorkerSettings } from "./worker-protocol.js";
