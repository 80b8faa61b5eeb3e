import type { EmbeddingProvider } from "./provider.js";

/** Lengths of the character n-grams: long enough to carry a stem, short enough to forgive a typo. */
const NGRAM_LENGTHS = [3, 4] as const;

/** Share of a whole word against one of its n-grams: an exact word outranks a look-alike. */
const WORD_WEIGHT = 2;

/**
 * Signed feature hashing of words and character n-grams (Weinberger et al., 2009): no model and no
 * network, the same vector for the same text on every machine, and texts that share words are close.
 */
export class HashProvider implements EmbeddingProvider {
  readonly #dimension: number;

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  embed(text: string): Promise<Float32Array> {
    return Promise.resolve(hashedFeatures(text, this.#dimension));
  }

  dimension(): number {
    return this.#dimension;
  }
}

/** @returns a vector of norm 1, or zeros for a text without letters and digits. */
function hashedFeatures(text: string, dimension: number): Float32Array {
  const sums = new Float64Array(dimension);
  for (const [word, occurrences] of wordCounts(text)) {
    // The root dampens words that a long text repeats; unlike a logarithm it is exact everywhere.
    const weight = Math.sqrt(occurrences);
    addFeature(sums, `w${word}`, weight * WORD_WEIGHT);
    for (const ngram of ngramsOf(word)) addFeature(sums, `n${ngram}`, weight);
  }
  return normalized(sums);
}

function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** The marks at both ends tell a beginning and an ending from an inner part. */
function* ngramsOf(word: string): Generator<string> {
  const characters = ["<", ...word, ">"];
  for (const length of NGRAM_LENGTHS) {
    for (let start = 0; start + length <= characters.length; start += 1) {
      yield characters.slice(start, start + length).join("");
    }
  }
}

/** The high bits choose the component and the lowest the sign, so that collisions cancel out. */
function addFeature(sums: Float64Array, feature: string, weight: number): void {
  const hash = hash32(feature);
  const component = Math.floor((hash / 2 ** 32) * sums.length);
  sums[component] = (sums[component] ?? 0) + (hash % 2 === 0 ? weight : -weight);
}

/** FNV-1a over UTF-16 code units, then MurmurHash3's finalizer, so that every bit is well mixed. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function normalized(sums: Float64Array): Float32Array {
  const norm = Math.sqrt(sums.reduce((total, value) => total + value * value, 0));
  return norm === 0 ? new Float32Array(sums.length) : Float32Array.from(sums, (v) => v / norm);
}
