import { invalidArgument, parseDate } from "../instant.js";
import { GRAIN_MS, type RollupDimension } from "./rollup.js";
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

/** The stored buckets that a report needs. */
export interface BucketRange {
  readonly dimension: RollupDimension;
  readonly grain: "day" | "quarter";
  /** The first bucket begins at or after this time, in ms since the epoch. */
  readonly fromMs: number;
  /** The last bucket begins before this time, in ms since the epoch. */
  readonly untilMs: number;
}

/** Upper bound of a time zone's distance from UTC. */
const ZONE_DISTANCE_MS = 15 * 60 * 60 * 1000;

/**
 * The buckets of a report. Days of a zone other than UTC consist of quarter-hour buckets. Some of
 * these may lie outside the range; {@link dailyUsage} leaves them out.
 */
export function bucketsFor(query: ReportQuery): BucketRange {
  const dimension = query.groupBy ?? "total";
  const fromMs = Date.parse(`${query.from}T00:00:00.000Z`);
  const untilMs = Date.parse(`${query.to}T00:00:00.000Z`) + GRAIN_MS.day;
  if (query.timeZone === "UTC") return { dimension, grain: "day", fromMs, untilMs };
  return {
    dimension,
    grain: "quarter",
    fromMs: fromMs - ZONE_DISTANCE_MS,
    untilMs: untilMs + ZONE_DISTANCE_MS,
  };
}
