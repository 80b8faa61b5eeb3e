import type { ErasedValues } from "../../audit/ports.js";
import { storedForms } from "../audit-rows.js";
import { decompressed, packedValues, valuesIn, type BlockValues } from "./packed-block.js";

/** A block with personal values of an organization. */
export interface ErasableBlock {
  /** Its number; blocks are erased in this order. */
  readonly number: number;
  /** The index of its first record. */
  readonly first: number;
  /** The personal values, compressed. */
  readonly values: Uint8Array;
  /** The indexes of the records that an erasure is about by their time and subject. */
  readonly about: ReadonlySet<number>;
}

/** The blocks of an engine. */
export interface ErasableBlocks {
  /** The next blocks after one that may have what is to be erased; empty: there are no more. */
  after(orgId: string, which: ErasedValues, number: number): Promise<readonly ErasableBlock[]>;

  /**
   * Replaces the values of a block that was not changed since it was read.
   * @param kept compressed; absent: none is left. @returns false when the block was changed.
   */
  replace(orgId: string, block: ErasableBlock, kept: Uint8Array | undefined): Promise<boolean>;
}

/** Erases personal values that are in blocks. */
export class PackedErasure {
  readonly #blocks: ErasableBlocks;
  /** The erasure whose batch was full, and the block where its next one begins. */
  #resumed: { readonly asked: string; readonly after: number } | undefined;

  constructor(blocks: ErasableBlocks) {
    this.#blocks = blocks;
  }

  /** @returns how many records lost their values, at most `limit`. */
  async erase(orgId: string, which: ErasedValues, limit: number): Promise<number> {
    const forms = which.text === undefined ? undefined : storedForms(which.text);
    const asked = JSON.stringify([orgId, which]);
    let after = this.#resumed?.asked === asked ? this.#resumed.after : -1;
    let erased = 0;
    this.#resumed = undefined;
    for (;;) {
      const blocks = await this.#blocks.after(orgId, which, after);
      if (blocks.length === 0) return erased;
      for (const block of blocks) {
        erased += await this.#eraseIn(orgId, block, forms, limit - erased);
        if (erased >= limit) {
          this.#resumed = { asked, after };
          return erased;
        }
        after = block.number;
      }
    }
  }

  async #eraseIn(
    orgId: string,
    block: ErasableBlock,
    forms: readonly string[] | undefined,
    limit: number,
  ): Promise<number> {
    const { first, about } = block;
    const values = valuesIn(first, await decompressed(block.values));
    const isErased = ({ index, json }: BlockValues): boolean =>
      about.has(index) && (forms === undefined || forms.some((form) => json.includes(form)));
    const erased = new Set(values.filter(isErased).slice(0, limit));
    if (erased.size === 0) return 0;
    const kept = values.filter((each) => !erased.has(each));
    const bytes = kept.length === 0 ? undefined : packedValues(first, kept);
    // Another erasure has rewritten the block since. The caller asks again until nothing is left.
    return (await this.#blocks.replace(orgId, block, bytes)) ? erased.size : limit;
  }
}
