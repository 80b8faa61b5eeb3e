import { EmbeddingError, type EmbeddingProvider } from "./provider.js";

/** What asking a provider for one vector at the start came to. */
export type ProbeResult =
  | { readonly kind: "ready" }
  /** It cannot be asked now: the start goes on, and what needs vectors waits for it. */
  | { readonly kind: "unreachable"; readonly error: EmbeddingError };

/**
 * Asks a checked provider for one vector, so that a wrong setting stops the start and not the first
 * search.
 * @param patienceMs how long the start waits for it.
 * @throws EmbeddingError when waiting would not help: wrong dimension, unknown model, no vector.
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
