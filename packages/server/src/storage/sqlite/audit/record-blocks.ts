import { entriesOf, TILE_WIDTH } from "../../../audit/index.js";
import { entryBundle } from "../../../audit/tree/index.js";
import { compressed, packedValues, type BlockValues } from "../../derivation/packed-block.js";

/** The number of records in a block: those of a full tile. */
export const BLOCK_RECORDS: number = TILE_WIDTH;

/** Records of a full tile with their personal values, in order. */
export interface TileRecord {
  readonly org_id: string;
  readonly record_index: number;
  readonly entry: string;
  readonly salt: string | null;
  readonly personal_values: string | null;
}

/** The number of the block of a record. */
export function blockOf(recordIndex: number): number {
  return Math.floor(recordIndex / BLOCK_RECORDS);
}

/** The index of the first record of a block. */
export function firstOf(block: number): number {
  return block * BLOCK_RECORDS;
}

/** The entries of a block, compressed. */
export function packedEntries(records: readonly TileRecord[]): Uint8Array {
  return compressed(entryBundle(records.map(({ entry }) => Buffer.from(entry))));
}

/** The entries of a decompressed block, in order. */
export function entriesIn(bytes: Buffer): readonly Buffer[] {
  return entriesOf(bytes).entries;
}

/** The personal values of each organization that has any in a block, compressed. */
export function valuesByOrganization(
  block: number,
  records: readonly TileRecord[],
): ReadonlyMap<string, Uint8Array> {
  const byOrganization = new Map<string, BlockValues[]>();
  for (const { org_id: orgId, record_index: index, salt, personal_values: json } of records) {
    if (salt === null || json === null) continue;
    const own = byOrganization.get(orgId) ?? [];
    own.push({ index, salt, json });
    byOrganization.set(orgId, own);
  }
  return new Map(
    [...byOrganization].map(([orgId, values]) => [orgId, packedValues(firstOf(block), values)]),
  );
}
