import { assert } from "@steward/kernel/assert.js";
import type { BlockCache } from "./block-cache.js";
import { EMPTY_ROOT } from "./block-cache.js";
import type { Hash } from "../blocks/hash.js";
import { childOf, EntryCursor, type Node } from "./node.js";
import { type Chunk, NodeWriter } from "./node-writer.js";
import { TreeBuilder } from "./tree-builder.js";

/** An edit of one key. */
export interface Edit {
  readonly key: Buffer;
  /** True adds the key, false deletes it. */
  readonly present: boolean;
}

/** An edit of one entry of a level: deleted, or replaced. */
interface EntryEdit {
  readonly key: Buffer;
  readonly entry: Chunk | "key" | undefined;
}

/**
 * Edits a set of keys, rewriting only the nodes on the paths to the edits.
 * @param edits in ascending order of their keys, one per key.
 * @returns the root of the new set, which does not depend on its history.
 */
export function updateTree(blocks: BlockCache, root: Hash, edits: readonly Edit[]): Hash {
  if (edits.length === 0) return root;
  const top = blocks.load(root).level;
  let changes: readonly EntryEdit[] = edits.map(({ key, present }) => ({
    key,
    entry: present ? "key" : undefined,
  }));
  for (let level = 0; ; level++) {
    const rewrite = rewriteLevel(blocks, root, level, changes);
    if (level === top) return rootOver(blocks, level, rewrite.created);
    changes = childEdits(rewrite);
    if (changes.length === 0) return root;
  }
}

/** The root above all nodes of a level. */
function rootOver(blocks: BlockCache, level: number, chunks: readonly Chunk[]): Hash {
  const [first] = chunks;
  if (first === undefined) return EMPTY_ROOT;
  if (chunks.length === 1) return lowest(blocks, first.hash);
  const builder = new TreeBuilder(blocks, level + 1);
  for (const chunk of chunks) builder.addChild(chunk);
  return builder.finish();
}

/** The lowest node whose subtree contains everything: a node with a single child is no root. */
function lowest(blocks: BlockCache, hash: Hash): Hash {
  const node = blocks.load(hash);
  const [child] = node.level === 0 ? [] : node.children.hashes;
  return node.size > 1 || child === undefined ? hash : lowest(blocks, child);
}

interface LevelRewrite {
  /** The old nodes that were replaced, in order. */
  readonly replaced: readonly Chunk[];
  /** The new nodes. */
  readonly created: readonly Chunk[];
}

/**
 * Rewrites the nodes of one level that edits fall into, and the following ones until a new node
 * ends where an old one did. All later nodes are unchanged.
 */
function rewriteLevel(
  blocks: BlockCache,
  root: Hash,
  level: number,
  edits: readonly EntryEdit[],
): LevelRewrite {
  const replaced: Chunk[] = [];
  const created: Chunk[] = [];
  const writer = new NodeWriter(
    level,
    (bytes) => blocks.save(bytes),
    (chunk) => created.push(chunk),
  );
  const walk = new LevelWalk(blocks, root, level);
  for (let done = 0; done < edits.length;) {
    let old: OldNode | undefined = walk.seek(edits[done]?.key ?? Buffer.alloc(0));
    do {
      if (old.node.size > 0) replaced.push(old.chunk);
      done = rewriteNode(writer, old, edits, done);
      old = writer.atBoundary ? undefined : walk.next();
    } while (old !== undefined);
    writer.finish();
  }
  return { replaced, created };
}

/**
 * Writes a node's entries with the edits applied.
 * @returns the index of the first edit beyond the node.
 */
function rewriteNode(
  writer: NodeWriter,
  old: OldNode,
  edits: readonly EntryEdit[],
  first: number,
): number {
  const cursor = new EntryCursor(old.node);
  let done = first;
  // The prefix shared with a predecessor that was copied too need not be compared again.
  let isAfterCopy = false;
  while (cursor.next()) {
    let order = 1;
    for (let edit = edits[done]; edit !== undefined && order > 0; edit = edits[done]) {
      order = cursor.compare(edit.key);
      if (order < 0) break;
      write(writer, edit);
      done += 1;
      isAfterCopy = false;
    }
    // An edit with the same key replaces the entry.
    if (order !== 0) copyEntry(writer, cursor, isAfterCopy ? cursor.shared : 0);
    isAfterCopy = order !== 0;
  }
  if (!old.isLast) return done;
  for (const edit of edits.slice(done)) write(writer, edit);
  return edits.length;
}

function write(writer: NodeWriter, { key, entry }: EntryEdit): void {
  if (entry === "key") writer.add(key, key.length);
  else if (entry !== undefined) writer.addChild(key, key.length, entry.count, entry.hash);
}

/**
 * @param known a lower bound of the number of leading bytes shared with the previously written key.
 */
function copyEntry(writer: NodeWriter, cursor: EntryCursor, known: number): void {
  const { key, keyLength } = cursor;
  if (cursor.node.level === 0) writer.add(key, keyLength, known);
  else writer.addChild(key, keyLength, cursor.count, cursor.hash(), known);
}

/** The edits of the parent level that a rewritten level causes, in order. */
function childEdits({ replaced, created }: LevelRewrite): readonly EntryEdit[] {
  const edits: EntryEdit[] = [];
  let next = 0;
  for (const old of replaced) {
    let order = 1;
    for (let chunk = created[next]; chunk !== undefined; chunk = created[next]) {
      order = Buffer.compare(old.key, chunk.key);
      if (order < 0) break;
      if (order > 0 || chunk.hash !== old.hash) edits.push({ key: chunk.key, entry: chunk });
      next += 1;
      if (order === 0) break;
    }
    if (order !== 0) edits.push({ key: old.key, entry: undefined });
  }
  for (const chunk of created.slice(next)) edits.push({ key: chunk.key, entry: chunk });
  return edits;
}

/** A node of the old tree. */
interface OldNode {
  readonly node: Node;
  readonly chunk: Chunk;
  /** Whether it is the last node of its level. */
  readonly isLast: boolean;
}

/** Iterates over the nodes of one level. */
class LevelWalk {
  readonly #blocks: BlockCache;
  readonly #root: Hash;
  readonly #level: number;
  #path: { readonly node: Node; index: number }[] = [];

  constructor(blocks: BlockCache, root: Hash, level: number) {
    this.#blocks = blocks;
    this.#root = root;
    this.#level = level;
  }

  /** The node that contains this key or would contain it. */
  seek(key: Buffer): OldNode {
    this.#path = [];
    let node = this.#blocks.load(this.#root);
    while (node.level > this.#level) {
      const index = Math.min(childOf(node.children, key), node.size - 1);
      this.#path.push({ node, index });
      node = this.#blocks.load(childHash(node, index));
    }
    return this.#old(node);
  }

  /** The node after the last one returned. */
  next(): OldNode | undefined {
    while (this.#path.length > 0) {
      const step = this.#path.at(-1);
      if (step === undefined) return undefined;
      step.index += 1;
      if (step.index < step.node.size) return this.#old(this.#descend(step.node, step.index));
      this.#path.pop();
    }
    return undefined;
  }

  #descend(from: Node, index: number): Node {
    let node = this.#blocks.load(childHash(from, index));
    while (node.level > this.#level) {
      this.#path.push({ node, index: 0 });
      node = this.#blocks.load(childHash(node, 0));
    }
    return node;
  }

  #old(node: Node): OldNode {
    const isLast = this.#path.every(({ node: parent, index }) => index === parent.size - 1);
    const step = this.#path.at(-1);
    const key = step?.node.children.keys[step.index];
    const hash = step?.node.children.hashes[step.index] ?? this.#root;
    // The root has no key in a parent, because nothing above it is edited.
    return { node, chunk: { key: key ?? Buffer.alloc(0), hash, count: 0 }, isLast };
  }
}

function childHash(node: Node, index: number): Hash {
  const hash = node.children.hashes[index];
  assert(hash !== undefined, "an inner node has as many children as it says");
  return hash;
}
