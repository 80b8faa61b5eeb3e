import type { Caller } from "../kernel/caller.js";
import type { CommitNote } from "../state/index.js";

/** Who a change is attributed to. */
export function authorOf({ userId, agentId, orgId }: Caller): string {
  return userId ?? agentId ?? `organization ${orgId}`;
}

/** A commit of a caller. */
export function noteOf(caller: Caller, message: string): CommitNote {
  return { author: authorOf(caller), message };
}
