/**
 * Embedding providers over HTTP.
 *
 * Glossary. **Wire**: the request and response format of one API. **Attempt**: one request.
 */
export { cohereWire } from "./cohere-wire.js";
export type { EmbeddingWire, WireSettings } from "./embedding-wire.js";
export { geminiWire } from "./gemini-wire.js";
export { HttpEmbeddingProvider, type HttpEmbeddingOptions } from "./http-embedding-provider.js";
export { openAiWire } from "./openai-wire.js";
