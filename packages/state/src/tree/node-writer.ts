import { assert } from "@steward/kernel/assert.js";
import { HASH_BYTES, type Hash } from "../blocks/hash.js";
import {
  copy,
  ENTRY_BYTES_MAX,
  NODE_HEADER_BYTES,
  NODE_VERSION,
  RESTART_INTERVAL,
} from "./node.js";
import { KEY_BYTES_MAX, NODE_BYTES_MAX, Splitter } from "./splitter.js";

/** A completed node, as its parent refers to it. */
export interface Chunk {
  /** A copy of its last key. */
  readonly key: Buffer;
  readonly hash: Hash;
  /** Number of keys in the node's subtree. */
  readonly count: number;
}

/** Stores a node's bytes and returns their hash. */
export type NodeSink = (bytes: Buffer) => Hash;

/**
 * Encodes the entries of one level, in ascending order, and splits them into nodes. The split is
 * deterministic: equal entries give equal nodes, whatever was written before the previous split.
 */
export class NodeWriter {
  readonly #level: number;
  readonly #save: NodeSink;
  readonly #emit: (chunk: Chunk) => void;
  readonly #splitter: Splitter;
  readonly #bytes = Buffer.allocUnsafeSlow(NODE_BYTES_MAX + ENTRY_BYTES_MAX);
  readonly #last = Buffer.allocUnsafeSlow(KEY_BYTES_MAX);
  readonly #restarts: number[] = [];
  #lastLength = 0;
  #at = NODE_HEADER_BYTES;
  #size = 0;
  #count = 0;

  constructor(level: number, save: NodeSink, emit: (chunk: Chunk) => void) {
    this.#level = level;
    this.#save = save;
    this.#emit = emit;
    this.#splitter = new Splitter(level);
  }

  /** Whether the next entry begins a new node. */
  get atBoundary(): boolean {
    return this.#size === 0;
  }

  /**
   * Appends a leaf entry. The key must be larger than the previous one.
   * @param known a lower bound of the number of leading bytes that both keys share.
   */
  add(key: Buffer, length: number, known = 0): void {
    const start = this.#at;
    const shared = this.#writeKey(key, length, known);
    this.#count += 1;
    this.#entryDone(key, length, shared, start);
  }

  /**
   * Appends an inner node's entry: the child's last key, number of keys and hash.
   * @param known as in {@link add}.
   */
  addChild(key: Buffer, length: number, count: number, hash: Hash, known = 0): void {
    const start = this.#at;
    const shared = this.#writeKey(key, length, known);
    this.#writeNumber(count);
    this.#bytes.write(hash, this.#at, "hex");
    this.#at += HASH_BYTES;
    this.#count += count;
    this.#entryDone(key, length, shared, start);
  }

  /** Completes the current node, if it has entries. */
  finish(): void {
    if (this.#size > 0) this.#cut();
  }

  /**
   * @returns the number of leading bytes that the key shares with the previous one in this node.
   */
  #writeKey(key: Buffer, length: number, known: number): number {
    assert(length <= KEY_BYTES_MAX, "a key fits into a node");
    const common =
      this.#size === 0 ? 0 : commonLength(this.#last, this.#lastLength, key, length, known);
    const isRestart = this.#size % RESTART_INTERVAL === 0;
    if (isRestart) this.#restarts.push(this.#at);
    const shared = isRestart ? 0 : common;
    this.#writeNumber(shared);
    this.#writeNumber(length - shared);
    copy(key, shared, this.#bytes, this.#at, length - shared);
    this.#at += length - shared;
    return common;
  }

  #entryDone(key: Buffer, length: number, shared: number, start: number): void {
    copy(key, shared, this.#last, shared, length - shared);
    this.#lastLength = length;
    this.#size += 1;
    const bytes = this.#at - start;
    const fixed = this.#level === 0 ? 2 : 2 + HASH_BYTES;
    if (this.#splitter.endsNode(key, length, length - shared + fixed, bytes)) this.#cut();
  }

  #cut(): void {
    const bytes = Buffer.allocUnsafeSlow(this.#at + 2 * this.#restarts.length);
    this.#bytes.copy(bytes, 0, 0, this.#at);
    bytes[0] = NODE_VERSION;
    bytes[1] = this.#level;
    bytes.writeUInt16BE(this.#size, 2);
    this.#restarts.forEach((restart, index) => bytes.writeUInt16BE(restart, this.#at + 2 * index));
    const key = Buffer.from(this.#last.subarray(0, this.#lastLength));
    const chunk = { key, hash: this.#save(bytes), count: this.#count };
    this.#begin();
    this.#emit(chunk);
  }

  #begin(): void {
    this.#splitter.reset();
    this.#restarts.length = 0;
    this.#at = NODE_HEADER_BYTES;
    this.#size = 0;
    this.#count = 0;
  }

  #writeNumber(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }
}

/** Length of the common prefix of two keys, given a lower bound. */
function commonLength(
  a: Buffer,
  aLength: number,
  b: Buffer,
  bLength: number,
  known: number,
): number {
  const limit = Math.min(aLength, bLength);
  let at = known;
  while (at < limit && a[at] === b[at]) at += 1;
  return at;
}

/** The bytes of the empty node: the root of every empty tree. */
export const EMPTY_NODE: Buffer = Buffer.from([NODE_VERSION, 0, 0, 0]);
