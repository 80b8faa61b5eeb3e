/**
 * Embedding services over HTTP.
 *
 * Glossary. **Wire**: one API's way to ask and to answer. **Attempt**: one request of it.
 */
export { cohereWire } from "./cohere-wire.js";
export type { EmbeddingWire, WireSettings } from "./embedding-wire.js";
export { geminiWire } from "./gemini-wire.js";
export { HttpEmbeddingProvider, type HttpEmbeddingOptions } from "./http-embedding-provider.js";
export { openAiWire } from "./openai-wire.js";
