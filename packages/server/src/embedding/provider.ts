/** What a text is embedded for: some models treat the two sides of a search differently. */
export type EmbeddingInputType = "query" | "document";

/** What an embedding may be told beside its text. */
export interface EmbedOptions {
  /** Absent: `document`. */
  readonly inputType?: EmbeddingInputType;
  /** Aborted when nobody waits for the vector any more. */
  readonly signal?: AbortSignal;
}

/**
 * Turns text into vectors (Contract §4.6). Registered once and shared by every request, so it must
 * bear concurrent calls. Both operations are all that is needed to replace the default.
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

/** A provider that is cheaper by the batch. */
export interface BatchEmbeddingProvider extends EmbeddingProvider {
  /** As `embed` of each text: one vector per text, in the order of the texts. */
  embedMany(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

/** Whether a provider takes batches. */
export function embedsMany(provider: EmbeddingProvider): provider is BatchEmbeddingProvider {
  return typeof (provider as Partial<BatchEmbeddingProvider>).embedMany === "function";
}

/** The four ways an embedding fails (Contract §7). */
export type EmbeddingFailureReason =
  /** The provider could not be asked, or would not answer now: network, time-out, rate limit. */
  | "transport"
  /** It answered with something that is no vector of finite numbers. */
  | "malformed_response"
  /** It answered with a vector of another length than the configured one. */
  | "dimension_mismatch"
  /** The model, its package or its key is missing, unknown or refused. */
  | "model_not_configured";

/**
 * Why a text has no vector. `message` is safe to show to the caller: it names what to change and
 * never holds a key, the text or the provider's own words; those go into `cause`.
 */
export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";
  readonly reason: EmbeddingFailureReason;
  /** Whether the same text may have a vector later. */
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

  /** Any thrown value as an EmbeddingError: what a provider did not classify is `transport`. */
  static from(thrown: unknown): EmbeddingError {
    if (thrown instanceof EmbeddingError) return thrown;
    return new EmbeddingError("transport", "the embedding provider failed", { cause: thrown });
  }
}
