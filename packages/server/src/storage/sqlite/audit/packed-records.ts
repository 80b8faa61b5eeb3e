import { brotliDecompressSync } from "node:zlib";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { assert } from "@steward/kernel/assert.js";
import { valuesIn, type BlockValues } from "../../derivation/packed-block.js";
import { StatementCache } from "../connection.js";
import { blockOf, BLOCK_RECORDS, entriesIn, firstOf } from "./record-blocks.js";

/**
 * Adds functions to a connection that return the parts of records that are in blocks: `packed_entry` of a
 * record's index, `packed_salt` and `packed_values` of its organization and index. They see the state of the
 * store that the statement sees. The connection belongs to a thread, which they block.
 */
export class PackedRecords {
  readonly #db: StatementCache;
  /** The block whose entries were unpacked last. */
  #entries: { readonly block: number; readonly list: readonly Buffer[] } | undefined;
  /** The personal values that were unpacked last, of one organization in one block, by record. */
  #values: { readonly key: string; readonly list: ReadonlyMap<number, BlockValues> } | undefined;

  constructor(connection: DatabaseSyncInstance) {
    this.#db = new StatementCache(connection);
    connection.function("packed_entry", {}, (index: unknown) => this.#entry(Number(index)));
    connection.function("packed_salt", {}, (orgId: unknown, index: unknown) =>
      this.#valuesOf(String(orgId), Number(index), "salt"),
    );
    connection.function("packed_values", {}, (orgId: unknown, index: unknown) =>
      this.#valuesOf(String(orgId), Number(index), "json"),
    );
  }

  /** Forgets the unpacked blocks at the end of a read: the next one may see another state of the store. */
  forget(): void {
    this.#entries = undefined;
    this.#values = undefined;
  }

  #entry(index: number): string {
    const block = blockOf(index);
    if (this.#entries?.block !== block) {
      const row = this.#db.get<{ readonly entries: Uint8Array }>(
        "SELECT entries FROM audit_blocks WHERE block_index = ?",
        block,
      );
      assert(row !== undefined, "a record without an entry is in a block");
      this.#entries = { block, list: entriesIn(brotliDecompressSync(row.entries)) };
    }
    return this.#entries.list[index % BLOCK_RECORDS]?.toString() ?? "";
  }

  /** @returns `null` when the record has no values, or they were erased. */
  #valuesOf(orgId: string, index: number, part: "salt" | "json"): string | null {
    const block = blockOf(index);
    const key = `${orgId} ${String(block)}`;
    if (this.#values?.key !== key) {
      const row = this.#db.get<{ readonly personal_values: Uint8Array }>(
        "SELECT personal_values FROM audit_personal_blocks WHERE org_id = ? AND block_index = ?",
        orgId,
        block,
      );
      const bytes = row && brotliDecompressSync(row.personal_values);
      const values = bytes === undefined ? [] : valuesIn(firstOf(block), bytes);
      this.#values = { key, list: new Map(values.map((each) => [each.index, each])) };
    }
    return this.#values.list.get(index)?.[part] ?? null;
  }
}
