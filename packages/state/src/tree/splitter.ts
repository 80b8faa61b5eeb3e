/** Smallest size at which a node may end, in encoded bytes. */
export const NODE_BYTES_MIN: number = 512;
/** Largest size of a node. */
export const NODE_BYTES_MAX: number = 16 * 1024;
/** Longest key in bytes. The limit guarantees that a node always has room for one more entry. */
export const KEY_BYTES_MAX: number = 2048;
/** Size at which a node ends in any case: one more entry and the restart table still fit. */
const SPLIT_BYTES_MAX = NODE_BYTES_MAX - KEY_BYTES_MAX - 1280;
/**
 * Mean weight of a node beyond the minimum, chosen so that nodes average 4 KiB including restarts.
 */
const WEIGHT_MEAN = 3200;
/** Probability, in units of 2^-32, that one byte of weight ends a node. */
const CHANCE_PER_BYTE = Math.floor(2 ** 32 / WEIGHT_MEAN);

/**
 * Decides where the nodes of one level end. The decision depends only on the entries since the last
 * boundary, so equal sets of keys give equal nodes, whatever their history. Whether an entry ends
 * its node is pseudo-random, derived from a hash of its key and weighted by its size, so that long
 * keys do not make large nodes. The hash is salted with the level, so that a key that ends a node
 * does not always end its parent too.
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
   * @param weight the entry's size without a restart. It does not depend on the entry's position in
   * the node, so that an insertion moves few boundaries.
   * @param bytes the entry's encoded size.
   * @returns whether the node ends with this entry.
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

  /** Starts a new node. */
  reset(): void {
    this.#bytes = 0;
    this.#entries = 0;
  }
}

/**
 * MurmurHash3, 32 bits (A. Appleby, public domain). It need not be cryptographic, only evenly
 * distributed.
 */
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
