/** The purpose of an embedding; some models treat the two sides of a search differently. */
export type EmbeddingInputType = "query" | "document";

/** Options of an embedding. */
export interface EmbedOptions {
  /** Absent: `document`. */
  readonly inputType?: EmbeddingInputType;
  /** Aborted when no caller waits for the vector any more. */
  readonly signal?: AbortSignal;
}

/**
 * Converts text to vectors (Contract §4.6). One instance serves all requests, so it must support
 * concurrent calls. A custom provider needs only these two operations.
 */
export interface EmbeddingProvider {
  /**
   * @returns float32 components, as many as `dimension()`, all finite.
   * @throws EmbeddingError; the signal's reason when that was aborted.
   */
  embed(text: string, options?: EmbedOptions): Promise<Float32Array>;

  /** Length of every vector. */
  dimension(): number;
}

/** A provider with cheaper batches. */
export interface BatchEmbeddingProvider extends EmbeddingProvider {
  /** Like `embed` for each text: one vector per text, in the order of the texts. */
  embedMany(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

/** Whether a provider supports batches. */
export function embedsMany(provider: EmbeddingProvider): provider is BatchEmbeddingProvider {
  return typeof (provider as Partial<BatchEmbeddingProvider>).embedMany === "function";
}

/** The four ways an embedding fails (Contract §7). */
export type EmbeddingFailureReason =
  /** The provider could not be reached or refuses for now: network, timeout, rate limit. */
  | "transport"
  /** Its answer is not a vector of finite numbers. */
  | "malformed_response"
  /** Its vector has another length than the configured one. */
  | "dimension_mismatch"
  /** The model, its package or its key is missing, unknown or refused. */
  | "model_not_configured";

/**
 * The reason why a text has no vector. `message` is safe to show to the caller: it names what to
 * change and never contains a key, the text or the provider's own message, which is in `cause`.
 */
export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";
  readonly reason: EmbeddingFailureReason;
  /** Whether a retry with the same text may succeed. */
  readonly retryable: boolean;

  constructor(
    reason: EmbeddingFailureReason,
    message: string,
    options: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.retryable = options.retryable ?? reason === "transport";
  }

  /**
   * Converts any thrown value to an EmbeddingError; an error that the provider did not classify is
   * `transport`.
   */
  static from(thrown: unknown): EmbeddingError {
    if (thrown instanceof EmbeddingError) return thrown;
    return new EmbeddingError("transport", "the embedding provider failed", { cause: thrown });
  }
}
