import type { Caller } from "../kernel/caller.js";
import { AppError } from "../kernel/errors.js";
import type { CommitNote } from "../state/index.js";

/** @throws AppError `POLICY_DENIED` for callers who may not change schemas. */
export function requireSchemaAdmin({ roles, permissions }: Caller): void {
  const isAdmin = roles.some((role) => role.trim().toLowerCase() === "admin");
  if (isAdmin || permissions.some((permission) => permission.trim() === "manage:schema")) return;
  throw new AppError(
    "POLICY_DENIED",
    "Migrations need the role admin or the permission manage:schema",
  );
}

/** Who a change is attributed to. */
export function authorOf({ userId, agentId, orgId }: Caller): string {
  return userId ?? agentId ?? `organization ${orgId}`;
}

/** A commit of a caller. */
export function noteOf(caller: Caller, message: string): CommitNote {
  return { author: authorOf(caller), message };
}
