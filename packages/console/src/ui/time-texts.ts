const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on, a date says more than a number of days. */
const MONTH_MS = 31 * DAY_MS;

const absolute = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

const date = new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "short", day: "2-digit" });

/** Such as `01 Mar 2026, 09:30:00 UTC`, in the time zone of the browser. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at));
}

/** Such as `5 min ago`; a date after a month. What a slow clock places in the future is `just now`. */
export function relativeTime(at: string, nowMs: number): string {
  const ago = Math.max(0, nowMs - Date.parse(at));
  if (ago < 5 * SECOND_MS) return "just now";
  return ago > MONTH_MS ? date.format(new Date(at)) : `${distanceText(ago)} ago`;
}

/** The same of a time that may be ahead, such as `in 22 h`. */
export function relativeDeadline(at: string, nowMs: number): string {
  const ahead = Date.parse(at) - nowMs;
  if (ahead <= 0) return relativeTime(at, nowMs);
  return ahead > MONTH_MS ? date.format(new Date(at)) : `in ${distanceText(ahead)}`;
}

function distanceText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? "1 day" : `${days} days`;
}

/** Such as `120 ms`, `1.4 s`, `2 min 5 s`, `3 h 12 min`. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) {
    return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`;
  }
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
}
