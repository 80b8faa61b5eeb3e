/**
 * The exact index in a thread of its own, with WebAssembly SIMD where available.
 *
 * Glossary. **Source module**: the module through which the thread reads the store by itself.
 */
export { WorkerVectorIndex } from "./worker-vector-index.js";
