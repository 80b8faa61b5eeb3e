/** Waiting tool calls counted, at most: enough to see that something is wrong. */
export const WAITING_COUNTED_MAX = 10_000;
