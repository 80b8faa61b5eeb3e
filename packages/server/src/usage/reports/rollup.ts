import { addTotals, type Posting, type UsageTotals } from "../posting.js";

/** Dimensions of stored totals; `total` is the whole organization. */
const ROLLUP_DIMENSIONS = ["total", "tool", "session", "intent", "model"] as const;

export type RollupDimension = (typeof ROLLUP_DIMENSIONS)[number];

/**
 * Length of a bucket. Days are UTC days. Days of other time zones are composed of quarter-hours,
 * because since 1972 every zone's distance from UTC is a multiple of a quarter-hour.
 */
export type RollupGrain = "day" | "quarter";

/** The length of a bucket in ms. */
export const GRAIN_MS: Readonly<Record<RollupGrain, number>> = {
  day: 24 * 60 * 60 * 1000,
  quarter: 15 * 60 * 1000,
};

/** The key for calls without a model or session (Decision §7). */
export const UNKNOWN: string = "unknown";

/** The totals of one bucket. */
export interface TimeRollup extends UsageTotals {
  readonly orgId: string;
  readonly dimension: RollupDimension;
  readonly grain: RollupGrain;
  /** Start of the bucket, in ms since the epoch. */
  readonly bucketMs: number;
  /** The tool, session, intent or model; empty for `total`. */
  readonly key: string;
}

/** The all-time totals of one cell of the heat map (Contract §2.11). */
export interface HeatCell extends UsageTotals {
  readonly orgId: string;
  readonly ormModel: string;
  readonly intent: string;
  readonly aauWeight: number;
}

/** The changes of all stored totals that postings cause. */
export interface Rollups {
  readonly byTime: readonly TimeRollup[];
  readonly heatMap: readonly HeatCell[];
}

/**
 * Sums postings by bucket. Adding the results to the stored buckets, in any order and in any
 * batches, gives the same totals as recomputing them from all rows.
 */
export function rollupsOf(postings: readonly Posting[]): Rollups {
  const sum = new RollupSum();
  sum.add(postings);
  return sum.rollups();
}

/** Accumulates rollups. */
export class RollupSum {
  readonly #byTime = new Map<string, TimeRollup>();
  readonly #heatMap = new Map<string, HeatCell>();

  /** Adds postings to their buckets. Postings that share all buckets are summed first. */
  add(postings: readonly Posting[]): void {
    for (const posting of alike(postings)) {
      for (const bucket of bucketsOf(posting)) addTo(this.#byTime, timeName(bucket), bucket);
      const cell = cellOf(posting);
      addTo(this.#heatMap, cellName(cell), cell);
    }
  }

  /** The accumulated rollups. */
  rollups(): Rollups {
    return { byTime: [...this.#byTime.values()], heatMap: [...this.#heatMap.values()] };
  }
}

/** The unique key of a bucket. */
export function timeName({ orgId, dimension, grain, bucketMs, key }: TimeRollup): string {
  // The only part that may contain a space comes last.
  return `${orgId} ${dimension} ${grain} ${String(bucketMs)} ${key}`;
}

/** The unique key of a cell. */
export function cellName({ orgId, ormModel, intent, aauWeight }: HeatCell): string {
  return JSON.stringify([orgId, ormModel, intent, aauWeight]);
}

/** Sums postings that belong to the same buckets. */
function alike(postings: readonly Posting[]): Iterable<Posting> {
  const sums = new Map<string, Posting>();
  for (const posting of postings) {
    const { orgId, toolName, sessionId, intent, ormModel, aauWeight } = posting;
    const quarter = Math.floor(posting.occurredAtMs / GRAIN_MS.quarter);
    addTo(
      sums,
      JSON.stringify([orgId, quarter, toolName, sessionId, intent, ormModel, aauWeight]),
      posting,
    );
  }
  return sums.values();
}

function addTo<T extends UsageTotals>(sums: Map<string, T>, key: string, addend: T): void {
  const sum = sums.get(key);
  sums.set(key, sum === undefined ? addend : { ...sum, ...addTotals(sum, addend) });
}

function bucketsOf(posting: Posting): readonly TimeRollup[] {
  const { orgId, actionCount, totalAau, totalCost, occurredAtMs } = posting;
  return ROLLUP_DIMENSIONS.flatMap((dimension) =>
    (["day", "quarter"] as const).map((grain) => ({
      orgId,
      dimension,
      grain,
      bucketMs: Math.floor(occurredAtMs / GRAIN_MS[grain]) * GRAIN_MS[grain],
      key: keyIn(dimension, posting),
      actionCount,
      totalAau,
      totalCost,
    })),
  );
}

function keyIn(dimension: RollupDimension, posting: Posting): string {
  switch (dimension) {
    case "total":
      return "";
    case "tool":
      return posting.toolName;
    case "session":
      return posting.sessionId ?? UNKNOWN;
    case "intent":
      return posting.intent;
    case "model":
      return posting.ormModel ?? UNKNOWN;
  }
}

function cellOf(posting: Posting): HeatCell {
  const { orgId, intent, aauWeight, actionCount, totalAau, totalCost } = posting;
  const ormModel = posting.ormModel ?? UNKNOWN;
  return { orgId, ormModel, intent, aauWeight, actionCount, totalAau, totalCost };
}
