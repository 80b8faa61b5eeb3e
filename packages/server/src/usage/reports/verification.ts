import type { CostedRow, RowRange, UsageLedger, UsageStore } from "../ports.js";
import { NO_USAGE, postingOf, type UsageTotals } from "../posting.js";
import { cellName, RollupSum, timeName, type Rollups } from "./rollup.js";

/** A stored total that differs from the sum of its rows. */
export interface TotalDifference {
  /** The total's name, such as `tool/day 2026-01-05T00:00:00.000Z search`. */
  readonly total: string;
  readonly stored: UsageTotals;
  readonly recomputed: UsageTotals;
}

/** Rows read per page; other work may run between pages. */
const PAGE_MAX = 1000;

/**
 * Recomputes an organization's totals from its rows and compares them with the stored totals. With
 * `repair`, differing totals are replaced.
 * Totals from before the rows that were deleted by retention are taken as they are.
 * @returns the differences.
 */
export function verifyTotals(
  { ledgers, reports }: Pick<UsageStore, "ledgers" | "reports">,
  orgId: string,
  { repair }: { readonly repair: boolean },
): Promise<readonly TotalDifference[]> {
  return ledgers.exclusively(orgId, async (ledger) => {
    const fromMs = await reports.detailFromMs(orgId);
    return verifyLedger(ledger, orgId, { fromMs, repair });
  });
}

async function verifyLedger(
  ledger: UsageLedger,
  orgId: string,
  { fromMs, repair }: { readonly fromMs: number; readonly repair: boolean },
): Promise<readonly TotalDifference[]> {
  const stored = since(await ledger.storedTotals(orgId), fromMs);
  const recomputed = since(await recompute(ledger, orgId, fromMs), fromMs);
  const byTime = compare(stored.byTime, recomputed.byTime, timeName, (bucket) =>
    [`${bucket.dimension}/${bucket.grain}`, new Date(bucket.bucketMs).toISOString(), bucket.key]
      .join(" ")
      .trim(),
  );
  const heatMap = compare(
    stored.heatMap,
    recomputed.heatMap,
    cellName,
    (cell) => `heat map ${cell.ormModel} ${cell.intent}`,
  );
  if (repair && byTime.length + heatMap.length > 0) {
    await ledger.replaceTotals({
      byTime: byTime.map((difference) => difference.right),
      heatMap: heatMap.map((difference) => difference.right),
    });
  }
  return [...byTime, ...heatMap].map(({ total, stored: was, recomputed: is }) => ({
    total,
    stored: was,
    recomputed: is,
  }));
}

/**
 * The totals whose rows have not been deleted. The heat map has no times, so it cannot be compared
 * once any row was deleted.
 */
function since({ byTime, heatMap }: Rollups, fromMs: number): Rollups {
  if (fromMs === 0) return { byTime, heatMap };
  return { byTime: byTime.filter(({ bucketMs }) => bucketMs >= fromMs), heatMap: [] };
}

async function recompute(ledger: UsageLedger, orgId: string, fromMs: number): Promise<Rollups> {
  const sum = new RollupSum();
  let range: RowRange = { fromMs, untilMs: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = await ledger.rowsBetween(orgId, range, PAGE_MAX);
    sum.add(rows.map(postingOfRow));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_MAX) return sum.rollups();
    range = { ...range, after: last.event };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A row with its corrections, which count on the same day and under the same keys. */
function postingOfRow({ event, costNow }: CostedRow) {
  return { ...postingOf(event), totalCost: costNow };
}

function compare<Total extends UsageTotals>(
  stored: readonly Total[],
  recomputed: readonly Total[],
  nameOf: (total: Total) => string,
  describe: (total: Total) => string,
): readonly (TotalDifference & { readonly right: Total })[] {
  const kept = new Map(stored.map((total) => [nameOf(total), total]));
  const right = new Map(recomputed.map((total) => [nameOf(total), total]));
  const everywhere = new Map([...kept, ...right]);
  return [...everywhere].flatMap(([name, total]) => {
    const was = totalsOf(kept.get(name) ?? NO_USAGE);
    const is = totalsOf(right.get(name) ?? NO_USAGE);
    if (isEqual(was, is)) return [];
    return [{ total: describe(total), stored: was, recomputed: is, right: { ...total, ...is } }];
  });
}

function totalsOf({ actionCount, totalAau, totalCost }: UsageTotals): UsageTotals {
  return { actionCount, totalAau, totalCost };
}

function isEqual(a: UsageTotals, b: UsageTotals): boolean {
  return (
    a.actionCount === b.actionCount && a.totalAau === b.totalAau && a.totalCost === b.totalCost
  );
}
