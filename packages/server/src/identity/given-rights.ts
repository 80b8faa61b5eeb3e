import { personOf, type Caller } from "@steward/kernel/caller.js";
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
 * other scopes. Only admins and operators give keys to other persons, because whoever holds a key
 * that names a person decides as that person.
 * @throws AppError `POLICY_DENIED`, naming the missing right.
 */
export function requireMayGive(
  caller: Caller,
  key: Pick<ApiKey, "roles" | "permissions" | "scopes" | "userId">,
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
  if (key.userId !== undefined && !mayName(caller, key.userId)) {
    throw new AppError(
      "POLICY_DENIED",
      "user_id: only an admin gives a key to another person; leave user_id out, or name yourself",
    );
  }
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

function mayName(caller: Caller, userId: string): boolean {
  if (givesAny(caller)) return true;
  return caller.userId !== undefined && personOf(caller.userId) === personOf(userId);
}

function givesAny(caller: Caller): boolean {
  return hasRole(caller, OPERATOR) || hasRole(caller, ADMIN);
}

function mayGivePermission(caller: Caller, permission: string): boolean {
  return givesAny(caller) || caller.permissions.includes(permission.trim());
}

/** The actions that scopes cover; all actions when there are no scopes. */
function actionsOf(scopes: readonly string[]): readonly Action[] {
  return ACTIONS.filter((action) => scopesCover(scopes.length === 0 ? undefined : scopes, action));
}
