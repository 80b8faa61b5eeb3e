const DATE_TIME =
  /^(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))?$/;

/**
 * Seconds since the Unix epoch of an xsd:dateTime; without a time zone it counts as UTC.
 * @returns undefined when the form is invalid or the year exceeds the range of Date.
 */
export function epochSeconds(lexical: string): number | undefined {
  const match = DATE_TIME.exec(lexical);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(part);
  if (!within(month, 1, 12) || !within(day, 1, 31)) return undefined;
  if (!within(hour, 0, 24) || !within(minute, 0, 59) || !within(second, 0, 59)) return undefined;
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = (match[8] === "-" ? -60 : 60) * (part(9) * 60 + part(10));
  const seconds = date.getTime() / 1000 + part(7) - offset;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function within(value: number | undefined, min: number, max: number): value is number {
  return value !== undefined && value >= min && value <= max;
}
