import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { hasRole, roleName } from "@steward/kernel/role-name.js";
import { type Action, ACTIONS, scopesCover } from "./actions.js";
import type { ApiKey } from "./api-key.js";

const ADMIN = "admin";
const OPERATOR = "operator";

/**
 * Checks that a caller may give a key these rights, when it is created or gets a new secret: a key
 * cannot have more rights than its creator. An operator may give any right, an admin every right
 * except the role operator, and others their own rights. A caller with a scoped key cannot give
 * other scopes.
 * @throws AppError `POLICY_DENIED`, naming the missing right.
 */
export function requireMayGive(
  caller: Caller,
  key: Pick<ApiKey, "roles" | "permissions" | "scopes">,
): void {
  const missing = [
    ...key.roles.filter((role) => !mayGiveRole(caller, role)).map((role) => `the role ${role}`),
    ...key.permissions
      .filter((permission) => !mayGivePermission(caller, permission))
      .map((permission) => `the permission ${permission}`),
    ...actionsOf(key.scopes)
      .filter((action) => !scopesCover(caller.scopes, action))
      .slice(0, 1)
      .map((action) => `the scope ${action}`),
  ];
  const [first] = missing;
  if (first === undefined) return;
  throw new AppError(
    "POLICY_DENIED",
    `A key cannot have more rights than its creator, and you do not have ${first}`,
  );
}

function mayGiveRole(caller: Caller, role: string): boolean {
  if (hasRole(caller, OPERATOR)) return true;
  const given = roleName(role);
  if (given === undefined) return false;
  return hasRole(caller, given) || (hasRole(caller, ADMIN) && given !== OPERATOR);
}

function mayGivePermission(caller: Caller, permission: string): boolean {
  const givesAny = hasRole(caller, OPERATOR) || hasRole(caller, ADMIN);
  return givesAny || caller.permissions.includes(permission.trim());
}

/** The actions that scopes cover; all actions when there are no scopes. */
function actionsOf(scopes: readonly string[]): readonly Action[] {
  return ACTIONS.filter((action) => scopesCover(scopes.length === 0 ? undefined : scopes, action));
}
