import type { Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { hasRole } from "@steward/kernel/role-name.js";

/** Whether the caller is an operator, who administers all organizations (Decision §15). */
export function isOperator(caller: Pick<Caller, "roles">): boolean {
  return hasRole(caller, "operator");
}

/**
 * The organization that a request concerns: the one it names, else the caller's own.
 * @throws AppError `INVALID_ARGUMENT`; `POLICY_DENIED` when a caller who is no operator names
 * another organization.
 */
export function organizationOf(caller: Caller, named: string | undefined): string {
  if (named === undefined) return caller.orgId;
  if (!isUuid(named)) throw invalidField("org_id", "must be the UUID of an organization");
  const orgId = named.toLowerCase();
  if (orgId === caller.orgId || isOperator(caller)) return orgId;
  throw new AppError(
    "POLICY_DENIED",
    "org_id: only the role operator asks about another organization than its own; leave org_id out",
  );
}
