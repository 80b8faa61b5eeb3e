import { EmbeddingError, type EmbeddingProvider } from "./provider.js";

/** The result of requesting one test vector at startup. */
export type ProbeResult =
  | { readonly kind: "ready" }
  /**
   * The provider cannot be reached now. Startup continues, and operations that need vectors wait
   * for it.
   */
  | { readonly kind: "unreachable"; readonly error: EmbeddingError };

/**
 * Requests one vector from a checked provider, so that a wrong setting fails at startup and not at
 * the first search.
 * @param patienceMs how long startup waits for it.
 * @throws EmbeddingError when waiting does not help: wrong dimension, unknown model, no vector.
 */
export async function probeProvider(
  provider: EmbeddingProvider,
  patienceMs: number,
): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    await provider.embed("probe", { inputType: "query", signal });
    return { kind: "ready" };
  } catch (thrown) {
    const error = EmbeddingError.from(thrown);
    if (signal.aborted || error.retryable) return { kind: "unreachable", error };
    throw error;
  }
}
