import { AppError, type FieldViolation } from "@steward/kernel/errors.js";
import type { PolicyDecision, PolicyRequest } from "./ports.js";

/** The roles and permissions that would each permit the request. */
export interface NamesThatMay {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

/**
 * The error of a denied request: what was denied, what is missing, and the policies that decided.
 * @param names the roles and permissions that would permit it, so that the caller knows whom to
 * ask.
 */
export function denialOf(
  request: PolicyRequest,
  { policies }: PolicyDecision,
  names: NamesThatMay,
): AppError {
  const details = policies.map(({ id, reason = "forbids it" }): FieldViolation => ({
    field: `policy ${id}`,
    reason,
  }));
  const approvers = policies.flatMap(({ approval }) => (approval === undefined ? [] : [approval]));
  if (policies.length > 0 && approvers.length === policies.length) {
    const message = `${request.action} needs the approval of ${approvers.join(" and ")}, and this server cannot ask for approvals yet`;
    return new AppError("APPROVAL_REQUIRED", message, { details });
  }
  const [first] = policies;
  if (first === undefined) return new AppError("POLICY_DENIED", missing(request, names));
  const message = first.reason ?? `The policy ${first.id} forbids ${request.action}`;
  return new AppError("POLICY_DENIED", message, { details });
}

/** No policy permits it: names the role or permission that would, and the role of the caller. */
function missing(
  { action, principal, resource }: PolicyRequest,
  { roles, permissions }: NamesThatMay,
): string {
  const asked = "dataSource" in resource ? `${action} on ${resource.dataSource}` : action;
  if (roles.length === 0) return `No policy permits ${asked}, whatever the role`;
  const had =
    principal.roles.length === 0 ? "no role" : `only the role ${principal.roles.join(", ")}`;
  const permission = permissions.length === 0 ? "" : `, or the permission ${choice(permissions)}`;
  return `${asked} needs the role ${choice(roles)}${permission}; the request has ${had}`;
}

function choice(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  const others = names.slice(0, -1).join(", ");
  return others === "" ? last : `${others} or ${last}`;
}
