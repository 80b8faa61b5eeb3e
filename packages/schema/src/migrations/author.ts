import type { Caller } from "@steward/kernel/caller.js";
import type { CommitNote } from "@steward/state";

/** The author recorded with a schema change. */
export function authorOf({ userId, agentId, orgId }: Caller): string {
  return userId ?? agentId ?? `organization ${orgId}`;
}

/** Author and message of a caller's commit. */
export function noteOf(caller: Caller, message: string): CommitNote {
  return { author: authorOf(caller), message };
}
