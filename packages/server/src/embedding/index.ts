/**
 * Embedding: text in, vector of float32 out.
 *
 * Glossary. **Provider**: what turns text into vectors. **Dimension**: the length of every vector.
 * **Input type**: whether a text is searched for (`query`) or searched in (`document`). **Model
 * name**: names what made a vector, as `provider:model@dimension`; vectors of two models are never
 * compared.
 */
export {
  EmbeddingError,
  type BatchEmbeddingProvider,
  type EmbeddingFailureReason,
  type EmbeddingInputType,
  type EmbeddingProvider,
  type EmbedOptions,
} from "./provider.js";
export { CheckedProvider } from "./checked-provider.js";
export { HashProvider } from "./hash-provider.js";
export { probeProvider, type ProbeResult } from "./probe.js";
export { ZeroProvider } from "./zero-provider.js";
export { PROVIDER_URLS } from "./provider-urls.js";
