/**
 * The consumers of the log of tool calls. A plan is deleted only after each of them has read all of
 * its calls.
 */
export const TOOL_CALL_CONSUMERS = ["usage", "memory"] as const;
