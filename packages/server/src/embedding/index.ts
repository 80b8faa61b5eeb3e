/**
 * Embedding: converts text to float32 vectors.
 *
 * Glossary. **Provider**: the model or algorithm that converts text to vectors. **Dimension**: the
 * length of every vector. **Input type**: whether a text is the query of a search (`query`) or a
 * searched text (`document`). **Model name**: identifies the source of a vector, as
 * `provider:model@dimension`; vectors of different models are never compared.
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
export { probeProvider } from "./probe.js";
export { ZeroProvider } from "./zero-provider.js";
export { PROVIDER_URLS } from "./provider-urls.js";
