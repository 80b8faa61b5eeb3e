import { promisify } from "node:util";
import { brotliCompressSync, brotliDecompress, constants } from "node:zlib";

/**
 * Blocks of the audit log: records, or their personal values, of one organization as compressed JSON. Alone, a
 * record of 500 bytes hardly compresses; beside others it takes a quarter.
 */

/** A record without its organization and personal values, in a block. */
export interface BlockRecord {
  /** The record's index. */
  readonly index: number;
  readonly atMs: number;
  readonly kind: string;
  readonly subject: string;
  readonly entry: string;
}

/** A record as it stands in a block. */
export type PlacedRecord = readonly [
  place: number,
  atMs: number,
  kind: string,
  subject: string,
  entry: string,
];

/** The personal values of a record as they stand in a block. */
export type PlacedValues = readonly [place: number, salt: string, json: string];

/** The personal values of one record, in a block. */
export interface BlockValues {
  /** The record's index. */
  readonly index: number;
  readonly salt: string;
  /** The values as canonical JSON. */
  readonly json: string;
}

/** Compresses a block. It takes milliseconds of a thread. */
export function compressed(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** The decompressed bytes of a block. A thread pool does it: it takes half a millisecond. */
export const decompressed: (block: Uint8Array) => Promise<Buffer> = promisify(brotliDecompress);

/** Records of a block, compressed. @param first the index from which the block counts its places. */
export function packedRecords(first: number, records: readonly BlockRecord[]): Uint8Array {
  const placed = records.map(({ index, ...each }): PlacedRecord => [
    index - first,
    each.atMs,
    each.kind,
    each.subject,
    each.entry,
  ]);
  return packed(placed);
}

/** The records in a decompressed block, in order. */
export function recordsIn(first: number, bytes: Buffer): readonly BlockRecord[] {
  // Only this program writes blocks.
  const list = JSON.parse(bytes.toString()) as readonly PlacedRecord[];
  return list.map(([place, atMs, kind, subject, entry]) => ({
    ...{ index: first + place, atMs, kind, subject, entry },
  }));
}

/** The different kinds of a block's records, each between spaces. */
export function kindsOf(kinds: Iterable<string>): string {
  return ` ${[...new Set(kinds)].sort().join(" ")} `;
}

/** The personal values of an organization in a block, compressed. @param first the index from which the block counts its places. */
export function packedValues(first: number, values: readonly BlockValues[]): Uint8Array {
  return packed(values.map(({ index, salt, json }): PlacedValues => [index - first, salt, json]));
}

/** The bytes of a block whose places are known. */
export function packed(list: readonly PlacedRecord[] | readonly PlacedValues[]): Uint8Array {
  return compressed(Buffer.from(JSON.stringify(list)));
}

/** The personal values in a decompressed block, in the order of their records. */
export function valuesIn(first: number, bytes: Buffer): readonly BlockValues[] {
  // Only this program writes blocks.
  const list = JSON.parse(bytes.toString()) as readonly PlacedValues[];
  return list.map(([place, salt, json]) => ({ index: first + place, salt, json }));
}

/** A block of 140 kB takes 3 ms of a thread at this quality, and 1 % more bytes than at the next ones. */
const QUALITY = 5;
