import { AppError } from "@steward/kernel/errors.js";
import { HASH_BYTES, type Hash, hashAt } from "../blocks/hash.js";
import { KEY_BYTES_MAX, NODE_BYTES_MAX } from "./splitter.js";

/**
 * The layout of a node (Decision §13): version, level, number of entries (two bytes, big-endian),
 * the entries, and the offset of each restart (two bytes, big-endian). An entry is
 * prefix-compressed: the number of bytes shared with the previous key, the number of remaining
 * bytes, and those bytes. An entry of an inner node also has the number of keys below it and its
 * child's hash. Numbers are LEB128. Every sixteenth entry is a restart, which shares nothing, so
 * that a search can begin there.
 */
export const NODE_VERSION: number = 0x01;
export const NODE_HEADER_BYTES: number = 4;
export const RESTART_INTERVAL: number = 16;

/** Bytes of the longest encoding of a count that a JavaScript number represents exactly. */
const COUNT_BYTES_MAX = 8;
/** Upper bound of an entry's size: two lengths, the key, the count and the hash. */
export const ENTRY_BYTES_MAX: number = 2 * 3 + KEY_BYTES_MAX + COUNT_BYTES_MAX + HASH_BYTES;

/** A node of a tree, backed by its encoded bytes. */
export class Node {
  readonly bytes: Buffer;
  /** 0 for a leaf. */
  readonly level: number;
  /** Number of entries. */
  readonly size: number;
  #children: Children | undefined;

  /** @throws AppError `STATE_CORRUPTED` when these bytes are no node. */
  constructor(block: Uint8Array) {
    this.bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    if (block.length < NODE_HEADER_BYTES || block.length > NODE_BYTES_MAX) throw notANode();
    if (this.bytes[0] !== NODE_VERSION) throw notANode();
    this.level = this.bytes.readUInt8(1);
    this.size = this.bytes.readUInt16BE(2);
    if (this.entriesEnd < NODE_HEADER_BYTES) throw notANode();
  }

  get restarts(): number {
    return Math.ceil(this.size / RESTART_INTERVAL);
  }

  /** End of the entries and start of the restart table. */
  get entriesEnd(): number {
    return this.bytes.length - 2 * this.restarts;
  }

  /** Offset of a restart's entry. */
  restartAt(index: number): number {
    return this.bytes.readUInt16BE(this.entriesEnd + 2 * index);
  }

  /** The children of an inner node; decoded once, because every search begins here. */
  get children(): Children {
    this.#children ??= readChildren(this);
    return this.#children;
  }

  /** Number of keys in the node's subtree. */
  get total(): number {
    return this.level === 0 ? this.size : (this.children.before[this.size] ?? 0);
  }
}

/** The entries of an inner node. */
export interface Children {
  /** The last key below each child. */
  readonly keys: readonly Buffer[];
  readonly hashes: readonly Hash[];
  /**
   * For each child the number of keys below its left siblings, and at the end the number of all
   * keys.
   */
  readonly before: Float64Array;
}

/**
 * Index of the child whose subtree would contain a key: the first one whose last key is not
 * smaller. The number of children if there is none.
 */
export function childOf(children: Children, key: Buffer): number {
  let low = 0;
  let high = children.keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const last = children.keys[middle];
    if (last !== undefined && Buffer.compare(last, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Initial size of a cursor's key buffer. */
const KEY_BYTES_USUAL = 256;

/** Iterates over the entries of one node. */
export class EntryCursor {
  /** A buffer that begins with the current key, which has `keyLength` bytes. */
  key: Buffer = Buffer.allocUnsafe(KEY_BYTES_USUAL);
  keyLength = 0;
  /** Index of the current entry; -1 before the first. */
  index = -1;
  /** In an inner node: number of keys below the current entry. */
  count = 0;
  /** Number of leading bytes that the current entry shares with the previous one in the node. */
  shared = 0;
  #hashOffset = 0;
  #node: Node;
  #at = NODE_HEADER_BYTES;
  #end: number;

  constructor(node: Node) {
    this.#node = node;
    this.#end = node.entriesEnd;
  }

  get node(): Node {
    return this.#node;
  }

  /** Starts before the first entry of another node. */
  open(node: Node): void {
    this.#node = node;
    this.#end = node.entriesEnd;
    this.#jump(NODE_HEADER_BYTES, 0);
  }

  /** Steps to the next entry. @returns false at the end. @throws AppError `STATE_CORRUPTED`. */
  next(): boolean {
    this.index += 1;
    if (this.#at >= this.#end) return false;
    const bytes = this.#node.bytes;
    const shared = this.#number(bytes);
    const length = this.#number(bytes);
    const end = shared + length;
    if (shared > this.keyLength || end > KEY_BYTES_MAX || this.#at + length > this.#end) {
      throw notANode();
    }
    if (end > this.key.length) this.#grow();
    copy(bytes, this.#at, this.key, shared, length);
    this.#at += length;
    this.shared = shared;
    this.keyLength = end;
    if (this.#node.level > 0) this.#readChild(bytes);
    return true;
  }

  /**
   * Steps to the first entry that is not smaller than the key. An entry that shares more bytes with
   * its predecessor than the predecessor shares with the key is smaller too; an entry that shares
   * fewer is larger. So most entries need no comparison.
   * @returns false when there is none.
   */
  seek(key: Buffer): boolean {
    this.#jumpBefore(key);
    let common = 0;
    while (this.next()) {
      const shared = this.index % RESTART_INTERVAL === 0 ? 0 : this.shared;
      if (this.index % RESTART_INTERVAL === 0) common = 0;
      if (shared < common) return true;
      if (shared > common) continue;
      common = this.#commonLength(key, common);
      if (common === key.length) return true;
      if (common < this.keyLength && byteAt(this.key, common) > byteAt(key, common)) return true;
    }
    return false;
  }

  /** Compares the current key with another; negative when the current one is smaller. */
  compare(key: Buffer): number {
    const common = this.#commonLength(key, 0);
    if (common < key.length && common < this.keyLength) {
      return byteAt(this.key, common) - byteAt(key, common);
    }
    return this.keyLength - key.length;
  }

  /** Whether the current key begins with these bytes. */
  startsWith(prefix: Buffer): boolean {
    return this.#commonLength(prefix, 0) === prefix.length;
  }

  /** A copy of the current key. */
  copyKey(): Buffer {
    return Buffer.from(this.key.subarray(0, this.keyLength));
  }

  /** In an inner node: the current entry's child. */
  hash(): Hash {
    return hashAt(this.#node.bytes, this.#hashOffset);
  }

  /** Moves before the last restart with a smaller key. */
  #jumpBefore(key: Buffer): void {
    const node = this.#node;
    let low = 0;
    let high = node.restarts - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      this.#jump(node.restartAt(middle), middle);
      this.next();
      if (this.compare(key) < 0) low = middle;
      else high = middle - 1;
    }
    this.#jump(node.size === 0 ? this.#end : node.restartAt(low), low);
  }

  #jump(offset: number, restart: number): void {
    this.#at = offset;
    this.keyLength = 0;
    this.index = restart * RESTART_INTERVAL - 1;
  }

  #commonLength(key: Buffer, from: number): number {
    const limit = Math.min(key.length, this.keyLength);
    const mine = this.key;
    let at = from;
    while (at < limit && mine[at] === key[at]) at += 1;
    return at;
  }

  #readChild(bytes: Buffer): void {
    this.count = this.#number(bytes);
    this.#hashOffset = this.#at;
    this.#at += HASH_BYTES;
    if (this.#at > this.#end) throw notANode();
  }

  #grow(): void {
    const key = Buffer.allocUnsafeSlow(KEY_BYTES_MAX);
    this.key.copy(key, 0, 0, this.keyLength);
    this.key = key;
  }

  #number(bytes: Buffer): number {
    const first = byteAt(bytes, this.#at++);
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 0x80; scale < Number.MAX_SAFE_INTEGER; scale *= 0x80) {
      const byte = byteAt(bytes, this.#at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw notANode();
  }
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

/**
 * For short copies a loop is faster than a call into the runtime. Most keys add only a few bytes to
 * their predecessor.
 */
const LOOP_BYTES_MAX = 128;

export function copy(from: Buffer, start: number, to: Buffer, at: number, length: number): void {
  if (length > LOOP_BYTES_MAX) {
    from.copy(to, at, start, start + length);
    return;
  }
  for (let index = 0; index < length; index++) to[at + index] = byteAt(from, start + index);
}

function readChildren(node: Node): Children {
  const keys: Buffer[] = [];
  const hashes: Hash[] = [];
  const before = new Float64Array(node.size + 1);
  const cursor = new EntryCursor(node);
  while (cursor.next()) {
    before[keys.length + 1] = (before[keys.length] ?? 0) + cursor.count;
    keys.push(cursor.copyKey());
    hashes.push(cursor.hash());
  }
  if (keys.length !== node.size || keys.length === 0) throw notANode();
  return { keys, hashes, before };
}

function notANode(): AppError {
  return new AppError(
    "STATE_CORRUPTED",
    "A block of the state that should be a tree node is not one",
  );
}
