import { isAgentsCredential, type Caller, type RecordedCaller } from "@steward/kernel/caller.js";
import { roleName } from "@steward/kernel/role-name.js";
import type { PolicyPrincipal } from "./ports.js";

/** The part of a caller that policies see. */
export type Asker = RecordedCaller & Pick<Caller, "orgId">;

/**
 * Converts a caller to a principal.
 * @param known The roles that the policies in force name.
 */
export function principalOf(caller: Asker, known: ReadonlySet<string>): PolicyPrincipal {
  const { kind, orgId, userId, agentId, keyId, authenticatedBy } = caller;
  const roles = [...new Set(caller.roles.flatMap((role) => roleName(role) ?? []))];
  return {
    kind,
    id: idOf({ kind, userId, agentId, keyId }),
    orgId,
    roles,
    permissions: caller.permissions.map((permission) => permission.trim()),
    ...(userId === undefined ? {} : { user: userId }),
    isAgent: isAgentsCredential({ kind, roles, ...(agentId === undefined ? {} : { agentId }) }),
    namedByHeaders: authenticatedBy === "headers" || authenticatedBy === "proxy",
    onPlainLoopback: authenticatedBy === "headers",
    // An unauthenticated caller on loopback could claim any role, so a caller without a role is not
    // restricted, and a role that no policy names counts as none (Decision §18).
    tryingOut: authenticatedBy === "headers" && !roles.some((role) => known.has(role)),
  };
}

type Names = {
  readonly [Key in "kind" | "userId" | "agentId" | "keyId"]: Caller[Key] | undefined;
};

function idOf({ kind, userId, agentId, keyId }: Names): string {
  switch (kind) {
    case "person":
      return userId ?? "";
    case "agent":
      return agentId ?? "";
    case "apiKey":
      return keyId ?? "";
    default:
      return "";
  }
}
