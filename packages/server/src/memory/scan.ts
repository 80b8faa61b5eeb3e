import { Candidates } from "./candidates.js";
import type { FilterKernel } from "./filter-kernel.js";
import { encodeQuery } from "./query-code.js";
import { slotOf, type Slab, type Slabs } from "./slabs.js";
import { compareHits, TopK, type Hit } from "./top-k.js";
import type { IndexQuery } from "./vector-index.js";

/** A row that may be a hit, copied out of the index. */
export interface Suspect {
  readonly entryId: string;
  readonly createdAtMs: number;
  /** What its score is at most. */
  readonly upper: number;
}

/** By slot, 1 for a row that a search may find. Absent: it may find every row. */
export type SlotMarks = Uint8Array | undefined;

/** One pass over the codes: every row that may be among the best, the most promising first. */
export function scanCodes(
  slabs: Slabs,
  kernel: FilterKernel,
  query: IndexQuery,
  marks: SlotMarks,
): readonly Suspect[] {
  const candidates = new Candidates(query.limit, query.scoreMin ?? -Infinity);
  kernel.setQuery(encodeQuery(query.vector));
  for (const slab of slabs.slabs(query.orgId)) {
    const found = kernel.scan(slab, candidates.threshold());
    addSurvivors(candidates, kernel, slab, found, marks);
  }
  return candidates.remaining().map(({ slot, upper }) => ({ ...slabs.entry(slot), upper }));
}

function addSurvivors(
  candidates: Candidates,
  kernel: FilterKernel,
  slab: Slab,
  found: number,
  marks: SlotMarks,
): void {
  const { rows, lower, upper } = kernel.survivors;
  for (let index = 0; index < found; index += 1) {
    const slot = slotOf(slab, rows[index] ?? 0);
    if (marks !== undefined && marks[slot] !== 1) continue;
    candidates.add(slot, lower[index] ?? 0, upper[index] ?? 0);
  }
}

/**
 * The hits of a query whose norm is 0: every score is 0, so only the tie order counts. Rows are
 * visited last to first, as the newest of them mostly come last.
 */
export function newestHits(slabs: Slabs, query: IndexQuery, marks: SlotMarks): readonly Hit[] {
  if ((query.scoreMin ?? 0) > 0) return [];
  const newest = new TopK<Hit>(query.limit, compareHits);
  for (const slab of slabs.slabs(query.orgId).toReversed()) {
    for (let row = slab.count - 1; row >= 0; row -= 1) {
      const slot = slotOf(slab, row);
      if (marks !== undefined && marks[slot] !== 1) continue;
      if ((slab.createdAtMs[row] ?? 0) < (newest.last()?.createdAtMs ?? -Infinity)) continue;
      newest.add({ ...slabs.entry(slot), score: 0 });
    }
  }
  return newest.items();
}
