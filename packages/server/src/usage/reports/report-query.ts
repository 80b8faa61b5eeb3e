import { invalidArgument, parseDate } from "../instant.js";
import { GRAIN_MS } from "./rollup.js";
import { isTimeZone } from "./zone-calendar.js";

/** Dimensions by which daily usage can be grouped. */
const GROUPINGS = ["tool", "session", "intent", "model"] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** Parameters of a usage report, as in the request. */
export interface ReportParameters {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tz?: string | undefined;
  readonly group_by?: string | undefined;
}

export interface ReportQuery {
  /** First day, YYYY-MM-DD. */
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
  /** IANA time zone of the days; `UTC` by default. */
  readonly timeZone: string;
  readonly groupBy: Grouping | undefined;
}

/** The range of a report without one (Contract §4.5). */
const DEFAULT_RANGE = { from: "1970-01-01", to: "9999-12-31" } as const;

/**
 * Validates the parameters of a usage report.
 * @throws AppError `INVALID_ARGUMENT` naming the parameter (Decision §7).
 */
export function parseReportQuery(parameters: ReportParameters): ReportQuery {
  const from = parseDate("from", parameters.from ?? DEFAULT_RANGE.from);
  const to = parseDate("to", parameters.to ?? DEFAULT_RANGE.to);
  if (from > to) throw invalidArgument("from", `must not be after to: ${from} is later than ${to}`);
  const timeZone = parameters.tz ?? "UTC";
  if (!isTimeZone(timeZone)) {
    throw invalidArgument("tz", "must be the name of a time zone, such as Europe/Berlin");
  }
  return { from, to, timeZone, groupBy: parseGrouping(parameters.group_by) };
}

function parseGrouping(text: string | undefined): Grouping | undefined {
  if (text === undefined) return undefined;
  const grouping = GROUPINGS.find((candidate) => candidate === text);
  if (grouping === undefined)
    throw invalidArgument("group_by", `must be one of ${GROUPINGS.join(", ")}`);
  return grouping;
}

/** UTC days, as the ms since the epoch that the first begins and the last ends. */
export interface DayRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The UTC days that a report's days may overlap. The days of no zone are more than a day away from
 * those of UTC.
 */
export function daysOf(query: ReportQuery): DayRange {
  const aroundMs = query.timeZone === "UTC" ? 0 : GRAIN_MS.day;
  return {
    fromMs: Date.parse(`${query.from}T00:00:00.000Z`) - aroundMs,
    untilMs: Date.parse(`${query.to}T00:00:00.000Z`) + GRAIN_MS.day + aroundMs,
  };
}
