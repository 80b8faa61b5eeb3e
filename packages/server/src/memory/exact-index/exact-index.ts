import { assert } from "@steward/kernel/assert.js";
import type { FilterKernel } from "./filter-kernel.js";
import { fuse } from "./rank-fusion.js";
import { rescore } from "./rescore.js";
import { newestHits, scanCodes, type SlotMarks, type Suspect } from "./scan.js";
import { Slabs } from "./slabs.js";
import type { Hit } from "./top-k.js";
import { encodeVector, unpackCode, type VectorCode } from "./vector-code.js";
import type { IndexEntry, IndexQuery, IndexSource, IndexStats } from "../vector-index.js";

/** Dependencies of an index. */
export interface ExactIndexOptions {
  /** Length of every vector. */
  readonly dimension: number;
  readonly kernel: FilterKernel;
  readonly source: IndexSource;
  /** Called for each entry that is left out because its stored vector is damaged. */
  readonly onDamaged: (entryId: string) => void;
}

/** A query that waits for the next scan of the codes. */
interface PendingScan {
  readonly query: IndexQuery;
  /** The entries to search; absent: all. */
  readonly allowed: readonly string[] | undefined;
  readonly resolve: (suspects: readonly Suspect[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The exact index. Glossary. **Slab**: a block of rows that belong to one organization. **Slot**: the
 * number of a row. **Scan** or filter: one pass over the codes. **Kernel**: the code that scans a slab.
 * **Suspect**: a row that the scan cannot rule out.
 *
 * The index holds a code of each vector in memory, a quarter of the vector's size. A scan of the codes
 * bounds every score (see `query-code.ts`) and leaves few suspects. Their vectors are read from the source
 * and scored in float64. The hits are those that comparing every stored vector would give.
 */
export class ExactIndex {
  readonly #options: ExactIndexOptions;
  readonly #slabs: Slabs;
  readonly #quarantined = new Set<string>();
  /** The queries of the next scan. */
  #pending: PendingScan[] = [];

  constructor(options: ExactIndexOptions) {
    this.#options = options;
    this.#slabs = new Slabs(options.kernel);
  }

  /**
   * Loads every entry of the source into an empty index.
   * @param onPage called after each page of the source, with the number of entries so far.
   */
  async load(onPage?: (entries: number) => void): Promise<void> {
    assert(this.#slabs.size() === 0, "an index is loaded once");
    let last: { readonly packed: Uint8Array; readonly code: VectorCode } | undefined;
    for await (const page of this.#options.source.entries()) {
      for (const entry of page) {
        // Entries with an equal vector share the bytes of its code, which are then checked once.
        const isRepeated = last?.packed === entry.code;
        const stored = isRepeated ? last?.code : this.#stored(entry);
        last = stored && { packed: entry.code, code: stored };
        const code = stored ?? (await this.#encodedAgain(entry));
        if (code !== undefined) this.#slabs.add(entry, code);
      }
      onPage?.(this.#slabs.size());
    }
  }

  /** Adds entries whose vectors the source has; replaces entries that are already in the index. */
  async add(entries: readonly IndexEntry[]): Promise<void> {
    for (const entry of entries) {
      const code = this.#stored(entry) ?? (await this.#encodedAgain(entry));
      if (code === undefined) continue;
      this.#remove(entry.entryId);
      this.#slabs.add(entry, code);
    }
  }

  /** Removes entries; ignores those that are not in the index. */
  remove(entryIds: readonly string[]): void {
    for (const entryId of entryIds) this.#remove(entryId);
  }

  /**
   * See {@link VectorIndex.search}. Searches that run at the same time share a scan of the codes. The
   * caller neither adds nor removes entries while a search runs.
   */
  async search(query: IndexQuery): Promise<readonly Hit[]> {
    assert(query.vector.length === this.#options.dimension, "a query has the index's dimension");
    const { source } = this.#options;
    const { filter, orgId, text } = query;
    const allowed = filter && (await source.matching(filter, orgId));
    if (text === undefined) return this.#best(query, allowed);
    const byVector = await this.#best(query, allowed);
    const matches = await source.textMatches({ ...query, text });
    return fuse(byVector, await this.#inOrder(matches, query));
  }

  /** @param orgId absent: of every organization. */
  stats(orgId?: string): IndexStats {
    return { entries: this.#slabs.size(orgId), quarantined: this.#quarantined.size };
  }

  /** The given entries in the same order, with their scores; missing entries are left out. */
  async #inOrder(entryIds: readonly string[], query: IndexQuery): Promise<readonly Hit[]> {
    const { orgId, scoreMin = -Infinity } = query;
    // Each of them is scored, so no scan has to bound their scores first.
    const suspects = entryIds.flatMap((entryId) => {
      const slot = this.#slabs.find(entryId, orgId);
      return slot === undefined ? [] : [{ ...this.#slabs.entry(slot), upper: Infinity }];
    });
    if (suspects.length === 0) return [];
    if (isZero(query.vector)) {
      const hits = suspects.map(({ entryId, createdAtMs }) => ({ entryId, createdAtMs, score: 0 }));
      return scoreMin > 0 ? [] : hits;
    }
    const { hits } = await this.#rescored(suspects, { ...query, limit: suspects.length });
    const byId = new Map(hits.map((hit) => [hit.entryId, hit]));
    return entryIds.flatMap((entryId) => byId.get(entryId) ?? []);
  }

  /** The best of the entries allowed, or of all, in the order of `compareHits`. */
  async #best(query: IndexQuery, allowed: readonly string[] | undefined): Promise<readonly Hit[]> {
    if (isZero(query.vector)) {
      return newestHits(this.#slabs, query, this.#marks(allowed));
    }
    for (;;) {
      const hits = await this.#hits(query, allowed);
      if (hits !== undefined) return hits;
    }
  }

  /**
   * @returns `undefined` when suspects turned out to be deleted or damaged: they are removed from the
   * index, and the search has to be repeated, since they may have displaced others. Each repetition has
   * fewer rows, so the search ends.
   */
  async #hits(
    query: IndexQuery,
    allowed: readonly string[] | undefined,
  ): Promise<readonly Hit[] | undefined> {
    const suspects = await this.#suspects(query, allowed);
    const { hits, isWhole } = await this.#rescored(suspects, query);
    return isWhole ? hits : undefined;
  }

  /** Scores suspects, and removes those that turn out to be deleted or damaged. */
  async #rescored(
    suspects: readonly Suspect[],
    query: IndexQuery,
  ): Promise<{ readonly hits: readonly Hit[]; readonly isWhole: boolean }> {
    const { hits, gone, damaged } = await rescore(suspects, query, this.#options.source);
    this.remove(gone);
    for (const entryId of damaged) this.#quarantine(entryId);
    return { hits, isWhole: gone.length + damaged.length === 0 };
  }

  /** Suspects from the next scan. It runs once the event loop has started every search that is ready. */
  #suspects(
    query: IndexQuery,
    allowed: readonly string[] | undefined,
  ): Promise<readonly Suspect[]> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#scan());
      this.#pending.push({ query, allowed, resolve, reject });
    });
  }

  #scan(): void {
    const pending = this.#pending;
    this.#pending = [];
    try {
      // Every removal moves a slot, so the marks, which refer to slots, are computed right before
      // the scan.
      const requests = pending.map(({ query, allowed }) => ({
        query,
        marks: this.#marks(allowed),
      }));
      const suspects = scanCodes(this.#slabs, this.#options.kernel, requests);
      for (const [index, { resolve }] of pending.entries()) resolve(suspects[index] ?? []);
    } catch (error) {
      for (const { reject } of pending) reject(error);
    }
  }

  #marks(allowed: readonly string[] | undefined): SlotMarks {
    if (allowed === undefined) return undefined;
    const marks = new Uint8Array(this.#slabs.slotCount());
    for (const entryId of allowed) {
      const slot = this.#slabs.find(entryId);
      if (slot !== undefined) marks[slot] = 1;
    }
    return marks;
  }

  #remove(entryId: string): void {
    this.#quarantined.delete(entryId);
    const slot = this.#slabs.find(entryId);
    if (slot !== undefined) this.#slabs.remove(slot);
  }

  #quarantine(entryId: string): void {
    // A concurrent search may have reported it already.
    if (this.#quarantined.has(entryId)) return;
    this.#remove(entryId);
    this.#quarantined.add(entryId);
    this.#options.onDamaged(entryId);
  }

  #stored(entry: IndexEntry): VectorCode | undefined {
    return unpackCode(entry.code, this.#options.dimension);
  }

  /** Replaces a stored code that is damaged, or has another version. */
  async #encodedAgain(entry: IndexEntry): Promise<VectorCode | undefined> {
    const [vector] = await this.#options.source.vectors([entry.entryId], entry.orgId);
    if (vector === undefined) return undefined;
    const isWhole = vector.length === this.#options.dimension && vector.every(Number.isFinite);
    if (isWhole) return encodeVector(vector);
    this.#quarantine(entry.entryId);
    return undefined;
  }
}

function isZero(vector: Float32Array): boolean {
  return vector.every((component) => component === 0);
}
