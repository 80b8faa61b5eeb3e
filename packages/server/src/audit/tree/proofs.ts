import { AppError } from "@steward/kernel/errors.js";
import { HASH_BYTES, nodeHash } from "./hashing.js";
import { subtreeRoot, hashesOf } from "./tree-edge.js";
import { TILE_HEIGHT, TILE_WIDTH, tileWidth, type TileName } from "./tiles.js";

/** Reads tiles of a tree that has at least the size that a proof is for. */
export type ReadTiles = (names: readonly TileName[]) => Promise<readonly Buffer[]>;

/** Reads tiles of a tree that may have grown since: each is cut to the width of its name. */
export function readTiles(tree: { readonly tiles: ReadTiles }): ReadTiles {
  return async (names) => {
    const tiles = await tree.tiles(names);
    return tiles.map((tile, at) => tile.subarray(0, (names[at]?.width ?? 0) * HASH_BYTES));
  };
}

/** The leaves from `from` up to but not including `until`, whose root is part of a proof. */
interface LeafRange {
  readonly from: number;
  readonly until: number;
}

/**
 * The inclusion proof of a leaf (RFC 6962 §2.1.1).
 * @throws AppError `INVALID_ARGUMENT` unless the leaf is in the tree of that size.
 */
export async function inclusionProof(
  index: number,
  size: number,
  read: ReadTiles,
): Promise<readonly Buffer[]> {
  if (index < 0 || index >= size) {
    const what = `There is no record ${String(index)} in a log of ${String(size)} records`;
    throw new AppError("INVALID_ARGUMENT", what);
  }
  return rootsOf(inclusionRanges(index, { from: 0, until: size }), size, read);
}

/**
 * The consistency proof between two sizes of a tree (RFC 6962 §2.1.2).
 * @throws AppError `INVALID_ARGUMENT` unless 0 ≤ `older` ≤ `newer`.
 */
export async function consistencyProof(
  older: number,
  newer: number,
  read: ReadTiles,
): Promise<readonly Buffer[]> {
  if (older < 0 || older > newer) {
    const what = `A consistency proof goes from a smaller size to a larger one, not from ${String(older)} to ${String(newer)}`;
    throw new AppError("INVALID_ARGUMENT", what);
  }
  if (older === 0 || older === newer) return [];
  return rootsOf(consistencyRanges(older, { from: 0, until: newer }, true), newer, read);
}

/** The root that a leaf and its inclusion proof lead to; `undefined` when the proof has another length. */
export function rootOfInclusion(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | undefined {
  // RFC 9162 §2.1.3.2.
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const hash of proof) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(hash, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = nodeHash(root, hash);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && index < size ? root : undefined;
}

/** Two trees, of which the newer one must begin with the leaves of the older one. */
export interface TwoTrees {
  readonly older: { readonly size: number; readonly root: Buffer };
  readonly newer: { readonly size: number; readonly root: Buffer };
}

/** Whether a consistency proof shows that the newer tree begins with the older one. */
export function isConsistent({ older, newer }: TwoTrees, proof: readonly Buffer[]): boolean {
  if (older.size === 0) return proof.length === 0;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size > newer.size) return false;
  // RFC 9162 §2.1.4.2. A complete older tree is its own first hash.
  const isComplete = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isComplete ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let node = older.size - 1;
  let last = newer.size - 1;
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let [olderRoot, newerRoot] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      olderRoot = nodeHash(hash, olderRoot);
      newerRoot = nodeHash(hash, newerRoot);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else newerRoot = nodeHash(newerRoot, hash);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && olderRoot.equals(older.root) && newerRoot.equals(newer.root);
}

/** PATH(m, D[n]) of RFC 6962 §2.1.1, the hash nearest to the leaf first. */
function inclusionRanges(index: number, { from, until }: LeafRange): readonly LeafRange[] {
  if (until - from === 1) return [];
  const middle = from + splitOf(until - from);
  const left = { from, until: middle };
  const right = { from: middle, until };
  return index < middle
    ? [...inclusionRanges(index, left), right]
    : [...inclusionRanges(index, right), left];
}

/** SUBPROOF(m, D[n], b) of RFC 6962 §2.1.2. */
function consistencyRanges(
  older: number,
  { from, until }: LeafRange,
  isKnown: boolean,
): readonly LeafRange[] {
  if (older === until) return isKnown ? [] : [{ from, until }];
  const middle = from + splitOf(until - from);
  const left = { from, until: middle };
  const right = { from: middle, until };
  return older <= middle
    ? [...consistencyRanges(older, left, isKnown), right]
    : [...consistencyRanges(older, right, false), left];
}

/** The largest power of two below a number of leaves. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** A complete subtree: the leaves from `index` · 2^`height` on. */
interface Subtree {
  readonly height: number;
  readonly index: number;
}

async function rootsOf(
  ranges: readonly LeafRange[],
  size: number,
  read: ReadTiles,
): Promise<readonly Buffer[]> {
  const subtrees = ranges.map(subtreesOf);
  const names = new Map<string, TileName>();
  for (const subtree of subtrees.flat()) {
    const name = tileOf(subtree, size);
    names.set(keyOf(name), name);
  }
  const wanted = [...names.values()];
  const contents = await read(wanted);
  const tiles = new Map(wanted.map((name, at) => [keyOf(name), hashesOf(contents[at] ?? NONE)]));
  return subtrees.map((parts) =>
    parts
      .map((part) => rootIn(tiles.get(keyOf(tileOf(part, size))) ?? [], part))
      .reduceRight((right, left) => nodeHash(left, right)),
  );
}

const NONE = Buffer.alloc(0);

/** The complete subtrees of a range, from left to right. A range of a proof begins at a multiple of its split. */
function subtreesOf({ from, until }: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = from; at < until;) {
    let height = 0;
    while (at % 2 ** (height + 1) === 0 && at + 2 ** (height + 1) <= until) height += 1;
    subtrees.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return subtrees;
}

/** The tile that contains the hashes from which a subtree's root is computed. */
function tileOf({ height, index }: Subtree, size: number): TileName {
  const level = Math.floor(height / TILE_HEIGHT);
  const first = index * 2 ** (height % TILE_HEIGHT);
  const tile = Math.floor(first / TILE_WIDTH);
  return { level, index: tile, width: tileWidth(level, tile, size) };
}

function rootIn(hashes: readonly Buffer[], { height, index }: Subtree): Buffer {
  const count = 2 ** (height % TILE_HEIGHT);
  const first = (index * count) % TILE_WIDTH;
  return subtreeRoot(hashes.slice(first, first + count));
}

function keyOf({ level, index }: TileName): string {
  return `${String(level)}/${String(index)}`;
}
