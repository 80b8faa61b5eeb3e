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
  const partsOf = query.timeZone === "UTC" ? wholeDay : partsIn(new ZoneCalendar(query.timeZone));
  const asked = (date: string) => (date < query.from || date > query.to ? undefined : date);
  return days
    .flatMap((dayMs): readonly ReportWindow[] => {
      const parts = partsOf(dayMs);
      const most = parts.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
      const subtractedFrom = asked(most.date);
      const whole = { grain: "day", fromMs: dayMs, untilMs: dayMs + GRAIN_MS.day } as const;
      const moved = parts
        .filter((part) => part !== most)
        .map(({ date, ...bounds }) => ({
          ...bounds,
          grain: "quarter" as const,
          addedTo: asked(date),
          subtractedFrom,
        }));
      return [{ ...whole, addedTo: subtractedFrom, subtractedFrom: undefined }, ...moved];
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
  const add = (date: string, { key, actionCount, totalAau, totalCost }: GroupTotals): void => {
    const groups = days.get(date) ?? new Map<string, DailyUsage>();
    days.set(date, groups);
    const sum = groups.get(key);
    const group = query.groupBy === undefined ? undefined : key;
    const added = { actionCount, totalAau, totalCost };
    groups.set(key, { date, group, ...(sum === undefined ? added : addTotals(sum, added)) });
  };
  for (const [index, { addedTo, subtractedFrom }] of windows.entries()) {
    for (const total of totals[index] ?? []) {
      if (addedTo !== undefined) add(addedTo, total);
      if (subtractedFrom !== undefined) add(subtractedFrom, negated(total));
    }
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, groups]) => [...groups.values()].sort(byGroup))
    .filter(({ actionCount }) => actionCount !== 0);
}

function wholeDay(dayMs: number): readonly DayPart[] {
  return [{ date: utcDate(dayMs), fromMs: dayMs, untilMs: dayMs + GRAIN_MS.day }];
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
