import type { EmbeddingProvider } from "./provider.js";

/**
 * Lengths of the character n-grams: long enough for a word stem, short enough to tolerate a typo.
 */
const NGRAM_LENGTHS = [3, 4] as const;

/**
 * Weight of a whole word relative to one of its n-grams: an exact word ranks above a similar one.
 */
const WORD_WEIGHT = 2;

/** Hashed before a word, so that a word is never the same feature as an n-gram. */
const WORD_PREFIX = "w".charCodeAt(0);
const NGRAM_PREFIX = "n".charCodeAt(0);

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
    // The square root reduces the weight of repeated words; unlike a logarithm it is exact on every
    // machine.
    const weight = Math.sqrt(occurrences);
    addFeature(sums, hashOf(word, 0, word.length, WORD_PREFIX), weight * WORD_WEIGHT);
    addNgrams(sums, word, weight);
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

/** The markers at both ends distinguish a prefix and a suffix from an inner part. */
function addNgrams(sums: Float64Array, word: string, weight: number): void {
  const marked = `<${word}>`;
  const starts = characterStarts(marked);
  for (const length of NGRAM_LENGTHS) {
    for (let first = 0; first + length < starts.length; first += 1) {
      const hash = hashOf(marked, starts[first] ?? 0, starts[first + length] ?? 0, NGRAM_PREFIX);
      addFeature(sums, hash, weight);
    }
  }
}

/** The start of each character, in UTF-16 code units, and the end of the text. */
function characterStarts(text: string): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    starts.push(at);
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
  }
  starts.push(text.length);
  return starts;
}

/**
 * The high bits choose the component and the lowest bit the sign, so that collisions cancel out on
 * average.
 */
function addFeature(sums: Float64Array, hash: number, weight: number): void {
  const component = Math.floor((hash / 2 ** 32) * sums.length);
  sums[component] = (sums[component] ?? 0) + (hash % 2 === 0 ? weight : -weight);
}

/**
 * FNV-1a over UTF-16 code units, then MurmurHash3's finalizer, so that every bit is well mixed. A
 * range of the text is hashed in place, because extracting a string for each n-gram took most of an
 * embedding's time.
 */
function hashOf(text: string, start: number, end: number, prefix: number): number {
  let hash = fnvStep(0x811c9dc5, prefix);
  for (let index = start; index < end; index += 1) hash = fnvStep(hash, text.charCodeAt(index));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function fnvStep(hash: number, codeUnit: number): number {
  return Math.imul(hash ^ codeUnit, 0x01000193);
}

function normalized(sums: Float64Array): Float32Array {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  const vector = new Float32Array(sums.length);
  if (squares === 0) return vector;
  const norm = Math.sqrt(squares);
  for (const [index, sum] of sums.entries()) vector[index] = sum / norm;
  return vector;
}
