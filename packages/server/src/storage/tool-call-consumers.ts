/**
 * The consumers of the logs of plans: two read the tool calls, the audit log reads every change. A
 * plan is deleted only after each of them has read all of its log.
 */
export const TOOL_CALL_CONSUMERS = ["usage", "memory", "audit"] as const;
