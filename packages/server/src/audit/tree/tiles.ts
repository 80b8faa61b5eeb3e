import { AppError } from "@steward/kernel/errors.js";

/**
 * The layout of C2SP tlog-tiles: a tree is cut into tiles of up to 256 hashes. Tile N of level 0
 * contains the hashes of the leaves from 256 N on. Each hash of a tile of level L + 1 is the root of
 * one full tile of level L.
 */
export const TILE_WIDTH = 256;

/** Levels of the tree that one level of tiles covers: 2^8 = {@link TILE_WIDTH}. */
export const TILE_HEIGHT = 8;

/** A tile, or a bundle of 256 entries when `level` is `entries`. */
export interface TileName {
  readonly level: number | "entries";
  readonly index: number;
  /** Number of hashes or entries, from 1 to {@link TILE_WIDTH}. */
  readonly width: number;
}

/** The path of a tile below the log's address, such as `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: TileName): string {
  const groups = [String(index % 1000).padStart(3, "0")];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  }
  const partial = width === TILE_WIDTH ? "" : `.p/${String(width)}`;
  return `tile/${String(level)}/${groups.join("/")}${partial}`;
}

/** The tile with this path. @throws AppError `INVALID_ARGUMENT` when the path names no tile. */
export function tileNamed(path: string): TileName {
  const found = PATH.exec(path);
  const [, level, groups, width] = found ?? [];
  if (level === undefined || groups === undefined) throw noTile(path);
  const index = Number(groups.replaceAll(/[x/]/g, ""));
  const name = {
    level: level === "entries" ? level : Number(level),
    index,
    width: width === undefined ? TILE_WIDTH : Number(width),
  } as const;
  // The path of a tile is unique: a number has no leading zeros, and 256 is not written.
  if (!Number.isSafeInteger(index * TILE_WIDTH) || tilePath(name) !== path) throw noTile(path);
  return name;
}

const PATH =
  /^tile\/(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

function noTile(path: string): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `${path} names no tile: a path is tile/<level>/<index> or tile/entries/<index>, as C2SP tlog-tiles defines it`,
  );
}

/** The number of hashes of a tile in a tree of `size` leaves; 0 when the tree does not have it. */
export function tileWidth(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** A bundle of entries: each one after its length, in big-endian 16 bits. */
export function entryBundle(entries: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    parts.push(length, entry);
  }
  return Buffer.concat(parts);
}

/**
 * The entries of a bundle.
 * @returns the entries up to the first one that is incomplete, and whether there was none.
 */
export function entriesOf(bundle: Buffer): {
  readonly entries: readonly Buffer[];
  readonly isWhole: boolean;
} {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length;) {
    if (at + 2 > bundle.length) return { entries, isWhole: false };
    const end = at + 2 + bundle.readUInt16BE(at);
    if (end > bundle.length) return { entries, isWhole: false };
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return { entries, isWhole: true };
}
