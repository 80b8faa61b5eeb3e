/** Maximum number of waiting tool calls that are counted: enough to show a problem. */
export const WAITING_COUNTED_MAX = 10_000;
