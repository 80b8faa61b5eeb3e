/** An embedding model that runs inside this process. */
export { LocalEmbeddingProvider } from "./local-embedding-provider.js";
