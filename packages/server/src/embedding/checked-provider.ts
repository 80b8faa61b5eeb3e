import { setImmediate } from "node:timers/promises";
import {
  EmbeddingError,
  embedsMany,
  type BatchEmbeddingProvider,
  type EmbeddingProvider,
  type EmbedOptions,
} from "./provider.js";

/**
 * Wraps any provider and checks its vectors: the configured length, every component finite
 * (Decision §12). Failures become an EmbeddingError, or the signal's reason when the signal was
 * aborted.
 */
export class CheckedProvider implements BatchEmbeddingProvider {
  readonly #provider: EmbeddingProvider;
  readonly #dimension: number;

  /** @param dimension the configured length, `SERVICE_EMBEDDING_DIMENSION`. */
  constructor(provider: EmbeddingProvider, dimension: number) {
    this.#provider = provider;
    this.#dimension = dimension;
  }

  async embed(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    return this.#checked(await guarded(() => this.#provider.embed(text, options), options));
  }

  async embedMany(
    texts: readonly string[],
    options: EmbedOptions = {},
  ): Promise<readonly Float32Array[]> {
    const provider = this.#provider;
    if (!embedsMany(provider)) return this.#oneByOne(texts, options);
    const vectors = await guarded(() => provider.embedMany(texts, options), options);
    if (vectors.length !== texts.length) {
      throw new EmbeddingError(
        "malformed_response",
        `the embedding provider returned ${vectors.length} vectors for ${texts.length} texts`,
      );
    }
    // Several texts may share one vector object.
    for (const vector of new Set(vectors)) this.#checked(vector);
    return vectors;
  }

  dimension(): number {
    return this.#dimension;
  }

  async #oneByOne(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      vectors.push(await this.embed(text, options));
      // A provider that computes in this process must not block the event loop for a whole batch.
      await setImmediate();
    }
    return vectors;
  }

  #checked(vector: Float32Array): Float32Array {
    if (vector.length !== this.#dimension) {
      throw new EmbeddingError(
        "dimension_mismatch",
        `the model returned a vector of length ${vector.length}, but SERVICE_EMBEDDING_DIMENSION ` +
          `is ${this.#dimension}: set it to ${vector.length}, or choose another model`,
      );
    }
    if (!vector.every(Number.isFinite)) {
      throw new EmbeddingError(
        "malformed_response",
        "the model returned a vector that holds NaN or infinity",
      );
    }
    return vector;
  }
}

async function guarded<T>(work: () => Promise<T>, options: EmbedOptions): Promise<T> {
  try {
    options.signal?.throwIfAborted();
    return await work();
  } catch (error) {
    options.signal?.throwIfAborted();
    throw EmbeddingError.from(error);
  }
}
