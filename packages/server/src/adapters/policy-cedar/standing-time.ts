/** The value of `@approval_standing`: hours or days, as in `24h` and `7d`. */
const STANDING = /^([1-9]\d{0,2})([hd])$/;

const UNITS_MS = { h: 3_600_000, d: 86_400_000 } as const;

/** Longest time for which statements of one shape can be approved: 30 days. */
export const STANDING_MS_MAX: number = 30 * UNITS_MS.d;

/** The time in ms; NaN for a text that is none. */
export function durationMsOf(text: string): number {
  const [, count, unit] = STANDING.exec(text) ?? [];
  if (count === undefined || unit === undefined) return Number.NaN;
  return Number(count) * (unit === "h" ? UNITS_MS.h : UNITS_MS.d);
}
