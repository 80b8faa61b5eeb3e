import { AppError } from "@steward/kernel/errors.js";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses a time: RFC 3339, or a date, which means midnight UTC.
 * @returns milliseconds since the epoch.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function parseInstant(field: string, text: string): number {
  const time = DATE.test(text) ? `${text}T00:00:00Z` : text;
  const ms = TIME.test(time) ? Date.parse(time) : NaN;
  if (Number.isNaN(ms) || !exists(text.slice(0, 10))) {
    throw invalidArgument(
      field,
      "must be a date that exists, or a time such as 2026-01-05T12:00:00Z",
    );
  }
  return ms;
}

/**
 * Validates a date.
 * @returns the same text.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function parseDate(field: string, text: string): string {
  if (!DATE.test(text) || !exists(text)) {
    throw invalidArgument(field, "must be a date written YYYY-MM-DD that exists");
  }
  return text;
}

/** The UTC day, YYYY-MM-DD, of a time in ms since the epoch. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** An `INVALID_ARGUMENT` error for one field. */
export function invalidArgument(field: string, reason: string): AppError {
  return new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}

/**
 * Checks that the usage rows from a time on still exist.
 * @param detailFromMs the time from which on they do.
 * @throws AppError `INVALID_ARGUMENT` naming the field and the first possible time.
 */
export function requireDetail(field: string, ms: number, detailFromMs: number): void {
  if (ms >= detailFromMs) return;
  throw invalidArgument(
    field,
    `must not be before ${utcDate(detailFromMs)}: the usage rows of earlier calls are no longer kept`,
  );
}

/** Date.parse accepts February 30th as another day, or rejects it. */
function exists(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && utcDate(ms) === date;
}
