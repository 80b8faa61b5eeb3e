import { utcDate } from "../instant.js";
import { addTotals, type UsageTotals } from "../posting.js";
import type { ReportQuery } from "./report-query.js";
import { ZoneCalendar } from "./zone-calendar.js";

/** The usage of one day (Contract §2.11), or of one group on one day. */
export interface DailyUsage extends UsageTotals {
  /** YYYY-MM-DD in the report's time zone. */
  readonly date: string;
  /** The tool, session, intent or model; absent when the report is not grouped. */
  readonly group: string | undefined;
}

/** The fields of a stored bucket that a report needs. */
export interface Bucket extends UsageTotals {
  readonly bucketMs: number;
  readonly key: string;
}

/**
 * The daily rows of a report, ascending by date and group; days without usage have no row (Decision
 * §7).
 * @param buckets the buckets that `bucketsFor` names, ordered by time.
 */
export function dailyUsage(buckets: readonly Bucket[], query: ReportQuery): readonly DailyUsage[] {
  const dateOf = datesIn(query.timeZone);
  const days = new Map<string, Map<string, DailyUsage>>();
  for (const bucket of buckets) {
    const date = dateOf(bucket.bucketMs);
    if (date < query.from || date > query.to) continue;
    const groups = days.get(date) ?? new Map<string, DailyUsage>();
    days.set(date, groups);
    const sum = groups.get(bucket.key);
    groups.set(bucket.key, {
      date,
      group: query.groupBy === undefined ? undefined : bucket.key,
      ...(sum === undefined ? totalsOf(bucket) : addTotals(sum, bucket)),
    });
  }
  return [...days.values()].flatMap((groups) => [...groups.values()].sort(byGroup));
}

function datesIn(timeZone: string): (bucketMs: number) => string {
  if (timeZone === "UTC") return utcDate;
  const calendar = new ZoneCalendar(timeZone);
  return (bucketMs) => calendar.dateOf(bucketMs);
}

function totalsOf({ actionCount, totalAau, totalCost }: UsageTotals): UsageTotals {
  return { actionCount, totalAau, totalCost };
}

function byGroup(a: DailyUsage, b: DailyUsage): number {
  const [left = "", right = ""] = [a.group, b.group];
  return left < right ? -1 : left > right ? 1 : 0;
}
