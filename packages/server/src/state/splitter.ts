/** A node ends no earlier than this many encoded bytes. */
export const NODE_BYTES_MIN: number = 512;
/** No node is larger. */
export const NODE_BYTES_MAX: number = 16 * 1024;
/** Bytes of the longest key: with it, a node always has room for one entry more. */
export const KEY_BYTES_MAX: number = 2048;
/** Where a node ends whatever its keys are: one more entry and the restart table still fit. */
const SPLIT_BYTES_MAX = NODE_BYTES_MAX - KEY_BYTES_MAX - 1280;
/** Expected weight of a node beyond the least, chosen so that nodes average 4 KiB with restarts. */
const WEIGHT_MEAN = 3200;
/** Chance, in 2^-32, that a byte of weight ends a node. */
const CHANCE_PER_BYTE = Math.floor(2 ** 32 / WEIGHT_MEAN);

/**
 * Says where the nodes of one level end, from nothing but the entries since the last end: equal
 * sets of keys are cut into equal nodes however they came to be. An entry ends its node by chance,
 * drawn from its key and weighted by its size, so that long keys do not make long nodes. The draw
 * is salted by the level: keys that end a node do not all end the one above it too.
 */
export class Splitter {
  readonly #salt: number;
  #bytes = 0;
  #entries = 0;

  constructor(level: number) {
    this.#salt = Math.imul(level + 1, 0x9e3779b1);
  }

  /**
   * Takes the next entry.
   * @param weight its size had it followed its predecessor without a restart: what does not depend
   *   on its place in the node, so that an insertion moves few ends.
   * @param bytes its size as it was encoded.
   * @returns whether the node ends with it.
   */
  endsNode(key: Buffer, length: number, weight: number, bytes: number): boolean {
    this.#bytes += bytes;
    this.#entries += 1;
    if (this.#bytes < NODE_BYTES_MIN || this.#entries < 2) return false;
    const ends =
      this.#bytes >= SPLIT_BYTES_MAX ||
      murmur3(key, length, this.#salt) < Math.min(weight, WEIGHT_MEAN) * CHANCE_PER_BYTE;
    if (ends) this.reset();
    return ends;
  }

  /** Begins a node. */
  reset(): void {
    this.#bytes = 0;
    this.#entries = 0;
  }
}

/** MurmurHash3 of 32 bits (A. Appleby, public domain): no secret, only evenly spread. */
function murmur3(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed;
  const body = length & ~3;
  for (let at = 0; at < body; at += 4) {
    hash ^= scramble(littleEndian(bytes, at, 4));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  if (body < length) hash ^= scramble(littleEndian(bytes, body, length - body));
  return finish(hash ^ length);
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let index = count - 1; index >= 0; index--) word = (word << 8) | (bytes[at + index] ?? 0);
  return word;
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

function finish(mixed: number): number {
  let hash = mixed ^ (mixed >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
