import type { ErrorCode } from "@steward/protocol";
import { isAgentsCredential, partyName, personOf } from "@steward/kernel/caller.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { ApprovalRule } from "../governance/index.js";
import {
  shownStatus,
  type Approval,
  type ApprovalDecision,
  type ApprovalParty,
} from "./approval.js";

/** What a caller decides about an approval. */
export interface WantedDecision {
  readonly decision: "approve" | "deny";
  /** The digest that the caller has seen. */
  readonly digest: string;
  readonly reason?: string | undefined;
  /** How long the approval is to stand for later statements of its shape, in ms. */
  readonly standingMs?: number | undefined;
  /** Rows that the statement may change at most. */
  readonly rowsChangedMax?: number | undefined;
  readonly by: ApprovalParty & { readonly roles: readonly string[] };
}

/** The result of a decision. */
export type DecisionResult =
  | { readonly kind: "decided"; readonly approval: Approval }
  /** The same caller has decided so before; nothing changes. */
  | { readonly kind: "repeated" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string };

/**
 * Decides about an approval: N of M named persons by role, none of whom is the requester, an author
 * or an agent. One denial is enough to deny it.
 */
export function decideApproval(
  approval: Approval,
  wanted: WantedDecision,
  nowMs: number,
): DecisionResult {
  const stranger = whyNotApprover(approval, wanted.by);
  if (stranger !== undefined) return refused("POLICY_DENIED", stranger);
  const earlier = approval.decisions.find(({ approver }) => isSameParty(approver, wanted.by));
  if (earlier !== undefined && isSameDecision(earlier, wanted)) {
    if (approval.digest === wanted.digest) return { kind: "repeated" };
  }
  const closed = whyClosed(approval, wanted, nowMs);
  if (closed !== undefined) return refused("APPROVAL_CONFLICT", closed);
  const transient = whyNotStanding(approval, wanted);
  if (transient !== undefined) return refused("POLICY_DENIED", transient);
  const { kind, userId, keyId, roles } = wanted.by;
  const decided: ApprovalDecision = {
    approver: {
      kind,
      ...(userId === undefined ? {} : { userId }),
      ...(keyId === undefined ? {} : { keyId }),
    },
    roles: rolesFor(approval.rules, roles),
    decision: wanted.decision,
    ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
    ...(wanted.standingMs === undefined ? {} : { standingMs: wanted.standingMs }),
    ...(wanted.rowsChangedMax === undefined ? {} : { rowsChangedMax: wanted.rowsChangedMax }),
    atMs: nowMs,
  };
  // A person who denies after having approved takes the approval back.
  const others = approval.decisions.filter(
    ({ approver }) => !isSameParty(approver, decided.approver),
  );
  const decisions = [...others, decided];
  const status =
    decided.decision === "deny"
      ? "denied"
      : areMet(approval.rules, decisions)
        ? "approved"
        : "pending";
  const { standingUntilMs: _former, ...rest } = approval;
  const standingUntilMs = status === "approved" ? standingUntil(rest, decisions, nowMs) : undefined;
  return {
    kind: "decided",
    approval: {
      ...{ ...rest, decisions, status },
      ...(standingUntilMs === undefined ? {} : { standingUntilMs }),
    },
  };
}

function isSameDecision(earlier: ApprovalDecision, wanted: WantedDecision): boolean {
  const { decision, reason, standingMs, rowsChangedMax } = earlier;
  return (
    decision === wanted.decision &&
    reason === wanted.reason &&
    standingMs === wanted.standingMs &&
    rowsChangedMax === wanted.rowsChangedMax
  );
}

/** The longest time for which the approval may stand for later statements, in ms; 0: it may not. */
export function standingMsMax({ rules, shapeDigest }: Approval): number {
  if (shapeDigest === undefined || rules.length === 0) return 0;
  return Math.min(...rules.map(({ standingMs = 0 }) => standingMs));
}

/** Why the approval cannot stand for as long as the caller wants; `undefined`: it can. */
function whyNotStanding(
  approval: Approval,
  { decision, standingMs }: WantedDecision,
): string | undefined {
  if (standingMs === undefined) return undefined;
  if (decision === "deny") return "A denial is for one statement: deny it without a time to stand";
  const max = standingMsMax(approval);
  if (max === 0) {
    return (
      `Approval ${approval.approvalId} is for one statement, and cannot stand for later ones: ` +
      "a policy that demands it lacks @approval_standing, its requester has no name, or the step applies a migration, calls a function of the database or runs no SQL. Approve it without a time to stand"
    );
  }
  if (standingMs >= 1000 && standingMs <= max) return undefined;
  return `Approval ${approval.approvalId} may stand for 1 to ${String(max / 1000)} seconds, as its policies say`;
}

/** Until when an approval stands: enough persons want it, and the shortest of their times counts. */
function standingUntil(
  { rules }: Pick<Approval, "rules">,
  decisions: readonly ApprovalDecision[],
  nowMs: number,
): number | undefined {
  const standing = decisions.filter(({ standingMs }) => standingMs !== undefined);
  if (!areMet(rules, standing)) return undefined;
  return nowMs + Math.min(...standing.map(({ standingMs = 0 }) => standingMs));
}

/** Whether enough persons with each role have approved. */
export function areMet(
  rules: readonly ApprovalRule[],
  decisions: readonly ApprovalDecision[],
): boolean {
  return rules.every((rule) => missingFor(rule, decisions) === 0);
}

/** How many more persons with the role must approve; each counts once, and only if it is named. */
export function missingFor(
  { role, approversMin }: Pick<ApprovalRule, "role" | "approversMin">,
  decisions: readonly ApprovalDecision[],
): number {
  const persons = decisions.flatMap(({ decision, roles, approver: { userId } }) =>
    decision === "approve" && roles.includes(role) && userId !== undefined
      ? [personOf(userId)]
      : [],
  );
  return Math.max(approversMin - new Set(persons).size, 0);
}

/** The roles that some rule needs. */
function rolesFor(rules: readonly ApprovalRule[], roles: readonly string[]): readonly string[] {
  return [...new Set(rules.map(({ role }) => role))].filter((role) => roles.includes(role));
}

/** Why somebody may not decide about an approval; undefined: they may. */
export function whyNotApprover(
  { rules, requester, authors = [] }: Approval,
  by: WantedDecision["by"],
): string | undefined {
  const nobody = whyNotRevoker(by);
  if (nobody !== undefined) return nobody;
  if (isSameParty(requester, by)) {
    return `${partyName(by)} requested this approval, and nobody decides about their own request: ask another person`;
  }
  if (authors.some((userId) => isSameParty({ kind: "person", userId }, by))) {
    return `${partyName(by)} wrote what is to be approved, or an agent did on their behalf, and nobody decides about their own work: ask another person`;
  }
  if (rolesFor(rules, by.roles).length > 0) return undefined;
  const needed = [...new Set(rules.map(({ role }) => role))].join(" or ");
  const had = by.roles.length === 0 ? "no role" : `only the role ${by.roles.join(", ")}`;
  return `This approval is decided by the role ${needed}; the request has ${had}`;
}

/** Why somebody may not revoke standing approvals; undefined: they may, also those of their own requests. */
export function whyNotRevoker(by: WantedDecision["by"]): string | undefined {
  if (isAgentsCredential(by)) {
    return "An agent's credential never decides about an approval: a person has to, with a credential of their own";
  }
  if (by.userId === undefined) {
    return "An approval is decided by a person who is named: sign in, use an API key that was created with your user_id, or send x-user-id where headers are believed";
  }
  return undefined;
}

/** Whether two parties are one person, or act for one, whichever credentials they hold. */
export function isSameParty(a: ApprovalParty, b: ApprovalParty): boolean {
  return (
    a.userId !== undefined && b.userId !== undefined && personOf(a.userId) === personOf(b.userId)
  );
}

/** The decisions that count for an approval: none of somebody who asked for it, or wrote what is approved. */
export function countingDecisions(
  { requester, authors = [] }: Pick<Approval, "requester" | "authors">,
  decisions: readonly ApprovalDecision[],
): readonly ApprovalDecision[] {
  const excluded = [requester, ...authors.map((userId) => ({ kind: "person" as const, userId }))];
  return decisions.filter(
    ({ approver }) => !excluded.some((party) => isSameParty(party, approver)),
  );
}

function whyClosed(
  approval: Approval,
  { digest }: WantedDecision,
  nowMs: number,
): string | undefined {
  const { approvalId, expiresAtMs } = approval;
  const status = shownStatus(approval, nowMs);
  switch (status) {
    case "expired":
      return `Approval ${approvalId} expired at ${isoTime(expiresAtMs)}: the step requests a new one when it is executed again`;
    case "void":
      return `Approval ${approvalId} is void, because what it was for has changed: the step requests a new one when it is executed again`;
    case "used":
      return `Approval ${approvalId} is used: its step has been started`;
    case "denied":
      return `Approval ${approvalId} is denied: ${denialOf(approval)}`;
    default:
  }
  if (digest === approval.digest) return undefined;
  return (
    `The digest is not that of approval ${approvalId}: what you have seen is not what would run. ` +
    `Read the approval again, and decide with its digest, ${approval.digest}`
  );
}

/** Who denied an approval and why. */
export function denialOf({ decisions }: Pick<Approval, "decisions">): string {
  const denial = decisions.find(({ decision }) => decision === "deny");
  if (denial === undefined) return "denied";
  const { approver, reason } = denial;
  return `${partyName(approver)} denied it${reason === undefined ? "" : `: ${reason}`}`;
}

function refused(code: ErrorCode, message: string): DecisionResult {
  return { kind: "refused", code, message };
}
