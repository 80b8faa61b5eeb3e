import type { BatchEmbeddingProvider } from "./provider.js";

/** The default provider: zeros for any text (Contract §4.6 rule 1), so that every score is 0. */
export class ZeroProvider implements BatchEmbeddingProvider {
  readonly #dimension: number;

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  embed(): Promise<Float32Array> {
    return Promise.resolve(new Float32Array(this.#dimension));
  }

  embedMany(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const zeros = new Float32Array(this.#dimension);
    return Promise.resolve(texts.map(() => zeros));
  }

  dimension(): number {
    return this.#dimension;
  }
}
