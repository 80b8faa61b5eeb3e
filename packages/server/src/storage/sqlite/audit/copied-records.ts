import { brotliDecompressSync } from "node:zlib";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import {
  kindsOf,
  packed,
  type PlacedRecord,
  type PlacedValues,
} from "../../derivation/packed-block.js";
import { entriesIn } from "./record-blocks.js";

/**
 * Adds the functions with which `COPIED_TABLES` reads the audit log and packs it by organization: of a
 * block's bytes, a JSON list of its entries, or of the place, salt and personal values of each record; and
 * of such lists, the bytes of blocks.
 */
export function addBlockFunctions(connection: DatabaseSyncInstance): void {
  const add = (name: string, of: (value: unknown) => string | Uint8Array | null): void => {
    connection.function(name, { deterministic: true }, of);
  };
  add("audit_block_entries", (block) =>
    JSON.stringify(entriesIn(bytesOf(block)).map((entry) => entry.toString())),
  );
  add("audit_block_values", (block) => bytesOf(block).toString());
  add("audit_kinds", (list) => kindsOf(listOf<string>(list)));
  add("audit_packed_records", (list) => packed(inOrder(listOf<PlacedRecord>(list))));
  add("audit_packed_values", (list) => {
    const values = inOrder(listOf<PlacedValues>(list));
    return values.length === 0 ? null : packed(values);
  });
}

function bytesOf(block: unknown): Buffer {
  // The columns hold blobs.
  return brotliDecompressSync(block as Uint8Array);
}

/** The query makes a JSON list of these items. */
function listOf<Item>(list: unknown): readonly Item[] {
  return JSON.parse(String(list)) as readonly Item[];
}

function inOrder<Item extends PlacedRecord | PlacedValues>(list: readonly Item[]): readonly Item[] {
  return list.toSorted(([one], [other]) => one - other);
}
