import { Candidates } from "./candidates.js";
import type { FilterKernel } from "./filter-kernel.js";
import { encodeQuery, type QueryCode } from "./query-code.js";
import { slotOf, type CodedSlab, type Slab, type Slabs } from "./slabs.js";
import { compareHits, TopK, type Hit } from "./top-k.js";
import type { IndexQuery } from "../vector-index.js";

/** A row that may be a hit, copied out of the index. */
export interface Suspect {
  readonly entryId: string;
  readonly createdAtMs: number;
  /** Upper bound of its score. */
  readonly upper: number;
}

/** By slot, 1 for a row that a search may find. Absent: it may find every row. */
export type SlotMarks = Uint8Array | undefined;

/** One query of a scan. */
export interface ScanRequest {
  readonly query: IndexQuery;
  /** Slots that it may find. */
  readonly marks: SlotMarks;
}

/** Slabs that stay in a core's cache while several queries scan them: most of a megabyte. */
const SLABS_IN_CACHE = 4;

/**
 * Scans the codes once for all of these queries, and finds every row that may be among a query's best,
 * the highest upper bound first. Most of the time goes into reading memory, so a second query that scans
 * a slab while it is still in the cache costs a third of the first.
 * @returns the suspects of each query, in the order of the requests.
 */
export function scanCodes(
  slabs: Slabs,
  kernel: FilterKernel,
  requests: readonly ScanRequest[],
): readonly (readonly Suspect[])[] {
  const scans = requests.map(scanOf);
  for (const [orgId, together] of byOrg(scans)) {
    const own = slabs.coded(orgId);
    const step = together.length === 1 ? own.length : SLABS_IN_CACHE;
    for (let first = 0; first < own.length; first += step) {
      for (const scan of together) scanSlabs(scan, kernel, own.slice(first, first + step));
    }
  }
  for (const { request, candidates } of scans) addZeros(candidates, slabs, request);
  return scans.map(({ candidates }) =>
    candidates.remaining().map(({ slot, upper }) => ({ ...slabs.entry(slot), upper })),
  );
}

/** A query in progress. */
interface Scan {
  readonly request: ScanRequest;
  readonly code: QueryCode;
  readonly candidates: Candidates;
}

function scanOf(request: ScanRequest): Scan {
  const { vector, limit, scoreMin = -Infinity } = request.query;
  return { request, code: encodeQuery(vector), candidates: new Candidates(limit, scoreMin) };
}

function byOrg(scans: readonly Scan[]): ReadonlyMap<string | undefined, readonly Scan[]> {
  const groups = new Map<string | undefined, Scan[]>();
  for (const scan of scans) {
    const { orgId } = scan.request.query;
    const group = groups.get(orgId);
    if (group === undefined) groups.set(orgId, [scan]);
    else group.push(scan);
  }
  return groups;
}

function scanSlabs(scan: Scan, kernel: FilterKernel, slabs: readonly CodedSlab[]): void {
  const { request, code, candidates } = scan;
  kernel.setQuery(code);
  for (const slab of slabs) {
    const found = kernel.scan(slab, candidates.threshold());
    addSurvivors(candidates, kernel, slab, found, request.marks);
  }
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

/** Adds the newest entries with the zero vector, unless better ones than their score of 0 fill the list. */
function addZeros(candidates: Candidates, slabs: Slabs, { query, marks }: ScanRequest): void {
  if (candidates.threshold() > 0) return;
  const zeros = newestOf(slabs, slabs.zero(query.orgId), query.limit, marks);
  for (const { slot } of zeros) candidates.add(slot, 0, 0);
}

/** The hits of a query whose norm is 0. Every score is 0, so the order of ties alone decides. */
export function newestHits(slabs: Slabs, query: IndexQuery, marks: SlotMarks): readonly Hit[] {
  if ((query.scoreMin ?? 0) > 0) return [];
  const own = [...slabs.coded(query.orgId), ...slabs.zero(query.orgId)];
  const newest = newestOf(slabs, own, query.limit, marks);
  return newest.map(({ entryId, createdAtMs, score }) => ({ entryId, createdAtMs, score }));
}

/**
 * The newest rows of some slabs, with a score of 0. The newest rows of a slab and its organization mostly
 * come last, so rows are visited from last to first.
 */
function newestOf(
  slabs: Slabs,
  own: readonly Slab[],
  limit: number,
  marks: SlotMarks,
): readonly (Hit & { readonly slot: number })[] {
  const newest = new TopK<Hit & { readonly slot: number }>(limit, compareHits);
  for (const slab of own.toReversed()) {
    if (slab.newestMs < (newest.last()?.createdAtMs ?? -Infinity)) continue;
    for (let row = slab.count - 1; row >= 0; row -= 1) {
      const slot = slotOf(slab, row);
      if (marks !== undefined && marks[slot] !== 1) continue;
      if ((slab.createdAtMs[row] ?? 0) < (newest.last()?.createdAtMs ?? -Infinity)) continue;
      newest.add({ ...slabs.entry(slot), slot, score: 0 });
    }
  }
  return newest.items();
}
