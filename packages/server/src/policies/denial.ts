import { AppError, type FieldViolation } from "@steward/kernel/errors.js";
import {
  ApprovalRequired,
  OperationApprovalRequired,
  type ApprovalRule,
  type NeededApproval,
} from "../governance/index.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { DecidingPolicy, PolicyDecision, PolicyRequest } from "./ports.js";

/** The roles and permissions that would each permit the request. */
export interface NamesThatMay {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** All roles that the policies name. */
  readonly known: ReadonlySet<string>;
}

/**
 * The error of a denied request: what was denied, what is missing, and the policies that decided.
 * @param names the roles and permissions that would permit it, so that the caller knows whom to
 * ask.
 */
export function denialOf(
  request: PolicyRequest,
  { policies }: PolicyDecision,
  names: NamesThatMay & { readonly policyVersion: string },
): AppError {
  const details = policies.map(detailOf);
  if (needsOnlyApproval(policies)) {
    const needed = { rules: rulesOf(policies), policyVersion: names.policyVersion };
    return operationApproval(request.action, needed, details);
  }
  // An approval would not help against it, so it is what the caller has to know.
  const first = policies.find(({ approval }) => approval === undefined);
  if (first === undefined) return new AppError("POLICY_DENIED", missing(request, names));
  const message = first.reason ?? `The policy ${first.id} forbids ${request.action}`;
  return new AppError("POLICY_DENIED", message, { details });
}

/** The error of an operation that persons must approve. */
export function operationApproval(
  action: string,
  needed: NeededApproval,
  details: readonly FieldViolation[],
): OperationApprovalRequired {
  return new OperationApprovalRequired(action, approversOf(needed.rules), needed, { details });
}

/**
 * The error of what policies forbid until it is approved, and also when it is: nobody is asked to approve it.
 */
export function forbiddenDespite(required: ApprovalRequired | OperationApprovalRequired): AppError {
  const { needed, message, details } = required;
  const names = needed.rules.map(({ policyId }) => policyId).join(" and ");
  return new AppError(
    "POLICY_DENIED",
    `${message}, but the policy ${names} forbids it now even when it is approved: an admin has to write ` +
      "the policy so that it permits approved calls, as `unless { context.approved }` does",
    { details, cause: required },
  );
}

/** Whether everything that forbids a request can be lifted by an approval. */
export function needsOnlyApproval(policies: readonly DecidingPolicy[]): boolean {
  return policies.length > 0 && policies.every(({ approval }) => approval !== undefined);
}

/**
 * The error of a statement that persons must approve.
 * @param policies every policy that forbids a part of it; all of them demand an approval.
 */
export function approvalRequired(
  action: string,
  policies: readonly DecidingPolicy[],
  limits: Omit<NeededApproval, "rules">,
): ApprovalRequired {
  const byId = [...new Map(policies.map((policy) => [policy.id, policy])).values()];
  const rules = rulesOf(byId);
  return new ApprovalRequired(
    `${action} needs the approval of ${approversOf(rules)}`,
    { rules, ...limits },
    { details: byId.map(detailOf) },
  );
}

function detailOf({ id, reason = "forbids it" }: DecidingPolicy): FieldViolation {
  return { field: `policy ${id}`, reason };
}

function rulesOf(policies: readonly DecidingPolicy[]): readonly ApprovalRule[] {
  return policies.map((policy) => ({
    policyId: policy.id,
    ...(policy.reason === undefined ? {} : { reason: policy.reason }),
    role: policy.approval ?? "",
    approversMin: policy.approvalsMin ?? 1,
    ...(policy.approvalPlan === undefined ? {} : { wholePlan: policy.approvalPlan }),
    ...(policy.mayChangeUncounted === true ? { mayChangeUncounted: true } : {}),
    ...(policy.approvalStandingMs === undefined ? {} : { standingMs: policy.approvalStandingMs }),
  }));
}

/** As in "approver and 2 of the role data owner". */
function approversOf(rules: readonly ApprovalRule[]): string {
  const named = rules.map(({ role, approversMin }) =>
    approversMin === 1 ? role : `${String(approversMin)} of the role ${role}`,
  );
  return [...new Set(named)].join(" and ");
}

/**
 * No policy permits it: names the role or permission that would, the role of the caller, and who can
 * change that.
 */
function missing(
  { action, principal, resource }: PolicyRequest,
  { roles, permissions, known }: NamesThatMay,
): string {
  const asked = "dataSource" in resource ? `${action} on ${resource.dataSource}` : action;
  if (roles.length === 0) return `No policy permits ${asked}, whatever the role`;
  const had =
    principal.roles.length === 0 ? "no role" : `only the role ${principal.roles.join(", ")}`;
  const permission = permissions.length === 0 ? "" : `, or the permission ${choice(permissions)}`;
  const needed = `${asked} needs the role ${choice(roles)}${permission}; the request has ${had}`;
  return `${needed}${adviceAbout(principal.roles, roles, known)}`;
}

/** How to go on with a role that no policy knows, or without the role of the operator. */
function adviceAbout(
  had: readonly string[],
  needed: readonly string[],
  known: ReadonlySet<string>,
): string {
  if (had.length > 0 && !had.some((role) => known.has(role))) {
    const near = nearMiss(had[0] ?? "", needed);
    const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
    return `, which no policy knows${meant}: the API key, token, proxy or client certificate that names the caller has to name one of these roles`;
  }
  if (needed.join() !== "operator") return "";
  return ". A token or a proxy can give this role only in the organizations that SERVICE_OPERATOR_ORGANIZATIONS names";
}

function choice(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  const others = names.slice(0, -1).join(", ");
  return others === "" ? last : `${others} or ${last}`;
}
