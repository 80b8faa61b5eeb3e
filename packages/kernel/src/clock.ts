/** Source of the current time. It is injected, so that a test can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A timestamp as it appears on the wire: RFC 3339, UTC, with milliseconds (Decision §6). */
export function isoTime(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

/** Under load many timestamps are of the same millisecond. */
let latest = { ms: 0, text: new Date(0).toISOString() };
