import { number } from "../column-values.js";
import type { CommitWriter } from "../commit-writer.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";

/** Pages of the index written in one step; the engine does not take smaller steps. */
const PAGES_AT_ONCE = 64;
/**
 * Steps for each step that the pages need by their number. Entries that are added meanwhile make
 * merges of their own, which the same steps carry out first.
 */
const STEPS_FACTOR = 4;

/**
 * Purges the full-text index of deleted entries. Deleting an entry only marks its words as deleted,
 * because removing them from every segment of the index takes fifty times longer (FTS5's
 * `secure-delete`). Merging all segments into one removes the words together with the marks.
 */
export class TextIndexPurge {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  /** The segments that are still to be merged; absent: no purge is going on. */
  #merging: { readonly segments: ReadonlySet<number>; stepsLeft: number } | undefined;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  /** Carries out one step. @returns whether there are more. */
  async purge(): Promise<boolean> {
    const merging = this.#merging ?? (await this.#begun());
    // A negative number begins the merge of all segments; a positive one goes on with it.
    await this.#merge(this.#merging === undefined ? -PAGES_AT_ONCE : PAGES_AT_ONCE);
    merging.stepsLeft -= 1;
    const isMore =
      merging.stepsLeft > 0 && (await this.#segments()).some(({ id }) => merging.segments.has(id));
    this.#merging = isMore ? merging : undefined;
    return isMore;
  }

  async #begun(): Promise<{ readonly segments: ReadonlySet<number>; stepsLeft: number }> {
    const segments = await this.#segments();
    const pages = segments.reduce((sum, segment) => sum + segment.pages, 0);
    return {
      segments: new Set(segments.map(({ id }) => id)),
      stepsLeft: (Math.ceil(pages / PAGES_AT_ONCE) + 1) * STEPS_FACTOR,
    };
  }

  async #segments(): Promise<readonly { readonly id: number; readonly pages: number }[]> {
    const rows = await this.#db.all(
      SYSTEM,
      "SELECT segid, count(*) AS pages FROM memory_text_idx GROUP BY segid",
    );
    return rows.map((row) => ({ id: number(row["segid"]), pages: number(row["pages"]) }));
  }

  #merge(pages: number): Promise<void> {
    return this.#writer.commit([
      {
        sql: "INSERT INTO memory_text (memory_text, rank) VALUES ('merge', ?)",
        params: [BigInt(pages)],
      },
    ]);
  }
}
