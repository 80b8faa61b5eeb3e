import type { Conversion } from "./conversions.js";
import type { ColumnType } from "./type-name.js";

const DAYS = "date";
const TIMES: ReadonlySet<string> = new Set(["time without time zone", "time with time zone"]);
const TIMESTAMPS: ReadonlySet<string> = new Set([
  "timestamp without time zone",
  "timestamp with time zone",
]);

/** Date and time types, including intervals. */
export const DATES: ReadonlySet<string> = new Set([DAYS, "interval", ...TIMES, ...TIMESTAMPS]);

/** Default number of fractional digits of a second. */
const PRECISION = 6;

/** Conversions between dates, times and timestamps. */
export function dateConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (!DATES.has(nameOf(from)) || !DATES.has(nameOf(to))) return undefined;
  if (from.name === to.name) return precisionChange(from, to);
  if (nameOf(from) === nameOf(to)) {
    return { outcome: "checked", reason: "fields of an interval are truncated" };
  }
  if (isZoned(from) && !isZoned(to)) {
    const reason = "the time zone is lost: a value is converted to the time zone of the server";
    return { outcome: "lost", reason };
  }
  if (TIMESTAMPS.has(from.name) && TIMES.has(to.name)) {
    return { outcome: "lost", reason: "the day is lost" };
  }
  if (from.name === DAYS && to.name === "timestamp without time zone") {
    const reason =
      "a day becomes midnight of that day, and a day that is out of range stops the migration";
    return { outcome: "refused", reason };
  }
  if (!isZoned(from) && isZoned(to)) return zoned(from, to);
  if (from.name === "timestamp without time zone" && to.name === DAYS) {
    return { outcome: "checked", reason: "the time of day is lost" };
  }
  return { outcome: "checked", reason: "some values may change" };
}

function nameOf({ name }: ColumnType): string {
  return name.startsWith("interval") ? "interval" : name;
}

function isZoned({ name }: ColumnType): boolean {
  return name.endsWith("with time zone");
}

function precisionChange(from: ColumnType, to: ColumnType): Conversion {
  const [had = PRECISION] = from.modifiers;
  const [has = PRECISION] = to.modifiers;
  return has >= had
    ? { outcome: "kept", reason: "it has as many fractional digits of a second", isInPlace: true }
    : { outcome: "checked", reason: "fractional digits of a second are rounded off" };
}

function zoned(from: ColumnType, to: ColumnType): Conversion {
  if (TIMESTAMPS.has(from.name) !== TIMESTAMPS.has(to.name) && from.name !== DAYS) {
    return { outcome: "checked", reason: "some values may change" };
  }
  const reason = "a value is read in the server's time zone, which may not be UTC";
  return { outcome: "checked", comparison: "UTC", reason };
}
