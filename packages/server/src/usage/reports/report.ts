import { utcDate } from "../instant.js";
import { addTotals, type UsageTotals } from "../posting.js";
import type { ReportQuery } from "./report-query.js";
import { GRAIN_MS, type RollupGrain } from "./rollup.js";
import { ZoneCalendar } from "./zone-calendar.js";

/** The usage of one day (Contract §2.11), or of one group on one day. */
export interface DailyUsage extends UsageTotals {
  /** YYYY-MM-DD in the report's time zone. */
  readonly date: string;
  /** The tool, session, intent or model; absent when the report is not grouped. */
  readonly group: string | undefined;
}

/** The stored totals of one length whose buckets begin in `[fromMs, untilMs)`. */
export interface TotalsWindow {
  readonly grain: RollupGrain;
  /** In ms since the epoch, like `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Totals of one tool, session, intent or model; the key is empty for the whole organization. */
export interface GroupTotals extends UsageTotals {
  readonly key: string;
}

/** A window of totals, with the day that it is added to, and the day that it is subtracted from. */
export interface ReportWindow extends TotalsWindow {
  readonly addedTo: string | undefined;
  readonly subtractedFrom: string | undefined;
}

/** A part of a UTC day that belongs to one day of the report. */
interface DayPart {
  readonly date: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The stored totals that a report is made of. A UTC day that is divided between days of another
 * zone counts for the day that has most of it; only its other quarter-hours are read, and moved
 * to their day.
 * @param days the UTC days with usage, as their first ms.
 */
export function windowsOf(days: readonly number[], query: ReportQuery): readonly ReportWindow[] {
  const asked = (date: string) => (date < query.from || date > query.to ? undefined : date);
  if (query.timeZone === "UTC") {
    return days.flatMap((dayMs) => {
      const addedTo = asked(utcDate(dayMs));
      return addedTo === undefined
        ? []
        : [{ ...wholeDay(dayMs), addedTo, subtractedFrom: undefined }];
    });
  }
  const partsOf = partsIn(new ZoneCalendar(query.timeZone));
  return days
    .flatMap((dayMs): readonly ReportWindow[] => {
      const parts = partsOf(dayMs);
      const most = parts.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
      const subtractedFrom = asked(most.date);
      const moved = parts
        .filter((part) => part !== most)
        .map(({ date, ...bounds }) => ({
          ...bounds,
          grain: "quarter" as const,
          addedTo: asked(date),
          subtractedFrom,
        }));
      return [{ ...wholeDay(dayMs), addedTo: subtractedFrom, subtractedFrom: undefined }, ...moved];
    })
    .filter(({ addedTo, subtractedFrom }) => (addedTo ?? subtractedFrom) !== undefined);
}

/**
 * The daily rows of a report, ascending by date and group; days without usage have no row (Decision
 * §7).
 * @param totals the stored totals of each window, of one moment.
 */
export function dailyUsage(
  windows: readonly ReportWindow[],
  totals: readonly (readonly GroupTotals[])[],
  query: ReportQuery,
): readonly DailyUsage[] {
  const days = new Map<string, Map<string, DailyUsage>>();
  const groupsOf = (date: string): Map<string, DailyUsage> => {
    const groups = days.get(date) ?? new Map<string, DailyUsage>();
    days.set(date, groups);
    return groups;
  };
  for (const [index, { addedTo, subtractedFrom }] of windows.entries()) {
    const own = totals[index] ?? [];
    if (addedTo !== undefined) addAll(groupsOf(addedTo), addedTo, own, query);
    if (subtractedFrom !== undefined) {
      addAll(groupsOf(subtractedFrom), subtractedFrom, own.map(negated), query);
    }
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, groups]) => [...groups.values()].sort(byGroup))
    .filter(({ actionCount }) => actionCount !== 0);
}

/** Adds totals to the groups of a day. A year has a total for each tool and day, so few objects are made. */
function addAll(
  groups: Map<string, DailyUsage>,
  date: string,
  totals: readonly GroupTotals[],
  { groupBy }: ReportQuery,
): void {
  for (const total of totals) {
    const { key } = total;
    const group = groupBy === undefined ? undefined : key;
    const sum = groups.get(key);
    const { actionCount, totalAau, totalCost } = sum === undefined ? total : addTotals(sum, total);
    groups.set(key, { date, group, actionCount, totalAau, totalCost });
  }
}

function wholeDay(dayMs: number): TotalsWindow {
  return { grain: "day", fromMs: dayMs, untilMs: dayMs + GRAIN_MS.day };
}

function partsIn(calendar: ZoneCalendar): (dayMs: number) => readonly DayPart[] {
  return (dayMs) => {
    const parts: DayPart[] = [];
    for (let fromMs = dayMs; fromMs < dayMs + GRAIN_MS.day; fromMs = parts.at(-1)?.untilMs ?? 0) {
      const { date, untilMs } = calendar.dayAt(fromMs);
      parts.push({ date, fromMs, untilMs: Math.min(untilMs, dayMs + GRAIN_MS.day) });
    }
    return parts;
  };
}

function lengthOf({ fromMs, untilMs }: DayPart): number {
  return untilMs - fromMs;
}

function negated({ key, actionCount, totalAau, totalCost }: GroupTotals): GroupTotals {
  return { key, actionCount: -actionCount, totalAau: -totalAau, totalCost: -totalCost };
}

function byGroup(a: DailyUsage, b: DailyUsage): number {
  const [left = "", right = ""] = [a.group, b.group];
  return left < right ? -1 : left > right ? 1 : 0;
}
