import type { Caller } from "../kernel/caller.js";
import { AppError } from "../kernel/errors.js";

const OPERATOR_ROLE = "operator";
const BILLING_PERMISSION = "manage:billing";

/** Whether the caller may see and change billing: role `admin` or `manage:billing` (Contract §5). */
export function isBillingAdmin(caller: Pick<Caller, "roles" | "permissions">): boolean {
  return (
    caller.roles.some((role) => role.trim().toLowerCase() === "admin") ||
    caller.permissions.some((permission) => permission.trim() === BILLING_PERMISSION)
  );
}

/**
 * Lets billing admins pass; comes before anything else of a request is looked at.
 * @throws AppError `POLICY_DENIED` (403).
 */
export function requireBillingAdmin(caller: Pick<Caller, "roles" | "permissions">): void {
  if (isBillingAdmin(caller)) return;
  throw new AppError(
    "POLICY_DENIED",
    `Billing needs the role admin or the permission ${BILLING_PERMISSION}`,
  );
}

/** Whether the caller operates the service for every organization (Decision §15). */
export function isOperator({ roles }: Pick<Caller, "roles">): boolean {
  return roles.some((role) => role.trim().toLowerCase() === OPERATOR_ROLE);
}

/**
 * Lets operators pass: an organization's own admin is not one.
 * @throws AppError `POLICY_DENIED` (403).
 */
export function requireOperator(caller: Pick<Caller, "roles">): void {
  if (isOperator(caller)) return;
  throw new AppError(
    "POLICY_DENIED",
    `This is for the operator of the service: it needs the role ${OPERATOR_ROLE}`,
  );
}
