import type { Caller, RecordedCaller } from "@steward/kernel/caller.js";
import type { ApprovalParty } from "./approval.js";
import type { WantedDecision } from "./decide.js";

/** A caller as somebody who may decide. */
export function approverOf(caller: Caller): WantedDecision["by"] {
  return { ...partyOf(caller), roles: caller.roles.map((role) => role.trim().toLowerCase()) };
}

/** A caller in the record of an approval. */
export function partyOf({
  kind,
  userId,
  agentId,
  keyId,
}: Omit<RecordedCaller, "roles" | "permissions">): ApprovalParty {
  return {
    kind,
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(keyId === undefined ? {} : { keyId }),
  };
}
