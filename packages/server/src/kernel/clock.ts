/** Where time comes from. Injected, so that a test can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** RFC 3339 in UTC with milliseconds, as every timestamp on the wire (Decision §6). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
