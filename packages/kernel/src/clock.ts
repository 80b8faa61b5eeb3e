/** Source of the current time. It is injected, so that a test can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A timestamp as it appears on the wire: RFC 3339, UTC, with milliseconds (Decision §6). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
