const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const absolute = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** Such as `01 Mar 2026, 09:30:00 UTC`, in the time zone of the browser. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at));
}

/** Such as `5 min ago`. Times that a slow clock places in the future are `just now`. */
export function relativeTime(at: string, nowMs: number): string {
  const ago = nowMs - Date.parse(at);
  if (ago < 5 * SECOND_MS) return "just now";
  if (ago < MINUTE_MS) return `${Math.floor(ago / SECOND_MS)} s ago`;
  if (ago < HOUR_MS) return `${Math.floor(ago / MINUTE_MS)} min ago`;
  if (ago < DAY_MS) return `${Math.floor(ago / HOUR_MS)} h ago`;
  const days = Math.floor(ago / DAY_MS);
  return days === 1 ? "1 day ago" : `${days} days ago`;
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
