import type { EmbeddingProvider } from "./provider.js";

/** The default provider: zeros for any text (Contract §4.6 rule 1), so that every score is 0. */
export class ZeroProvider implements EmbeddingProvider {
  readonly #dimension: number;

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  embed(): Promise<Float32Array> {
    return Promise.resolve(new Float32Array(this.#dimension));
  }

  dimension(): number {
    return this.#dimension;
  }
}
