import type { ApprovalRule, DataAccess, WholePlanValues } from "../governance/index.js";
import type { CallerKind } from "@steward/kernel/caller.js";
import type { ResolvedName } from "./resolved-names.js";

/**
 * The status of an approval. `pending`: persons have to decide. `approved`: the step may run once.
 * `used`: a step has run under it. `void`: something that it was bound to has changed, or its plan
 * has ended. `expired`: its time has passed; a `pending` or `approved` approval is shown as
 * `expired` from that time on, even before its plan's log records it.
 */
export type ApprovalStatus = "pending" | "approved" | "denied" | "used" | "void" | "expired";

/** Stands in an approval for the plan when it is for an operation and no statement of a plan. */
export const OPERATION_PLAN_ID = "00000000-0000-0000-0000-000000000000";

/** Identifies a caller in the record of an approval. */
export interface ApprovalParty {
  readonly kind: CallerKind;
  /** The person; for an agent, the person on whose behalf it acts. */
  readonly userId?: string;
  readonly agentId?: string;
  readonly keyId?: string;
}

/** One person's decision. */
export interface ApprovalDecision {
  readonly approver: ApprovalParty;
  /** Those of the approver's roles that the approval needs. */
  readonly roles: readonly string[];
  readonly decision: "approve" | "deny";
  readonly reason?: string;
  /** How long the approval is to stand for later statements, in ms; absent: only for this one. */
  readonly standingMs?: number;
  /** Rows that the statement may change at most, as the approver saw or widened it; absent: none were shown. */
  readonly rowsChangedMax?: number;
  readonly atMs: number;
}

/**
 * The state of an approval, as a plan's log stores it. Decisions depend on nothing else. The
 * statement that would run is in {@link ApprovalSubject}, and the digest covers it.
 */
export interface Approval {
  readonly approvalId: string;
  /** SHA-256, in hexadecimal, of what is approved. */
  readonly digest: string;
  readonly status: ApprovalStatus;
  /** Each of them must be met. */
  readonly rules: readonly ApprovalRule[];
  readonly requester: ApprovalParty;
  /**
   * User ids of those who wrote the plan's steps or the migration that it applies; absent: nobody is
   * known to have.
   */
  readonly authors?: readonly string[];
  /** The policies that demanded it. */
  readonly policyVersion: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** In the order in which they were made; at most one decision of each person. */
  readonly decisions: readonly ApprovalDecision[];
  /** The attempt that runs, or ran, under it. */
  readonly usedBy?: number;
  /**
   * As {@link digest}, with the places that the values come from instead of the values: what the
   * approval of a whole plan covers of a statement whose values are not known yet.
   */
  readonly templateDigest?: string;
  /**
   * SHA-256, in hexadecimal, of what later statements must have in common with this one for it to
   * stand for them. Absent: it cannot stand, because a policy does not allow it, the requester has no
   * name, the statement applies a migration or is known to call a function of the database, or the tool
   * takes no SQL.
   */
  readonly shapeDigest?: string;
  /** Until when it stands for later statements of its shape, unless it is revoked. */
  readonly standingUntilMs?: number;
  /**
   * The approval of the whole plan, or the standing approval, whose approvers have decided about
   * this one too.
   */
  readonly grantedBy?: string;
  /** It was granted by a standing approval, which must still be in force when the step runs. */
  readonly underStanding?: true;
  /** The steps that it covers: it is for the whole plan, and nothing runs under it itself. */
  readonly covers?: readonly CoveredStep[];
}

/** A step that the approval of a whole plan covers, once. */
export interface CoveredStep {
  readonly stepId: string;
  /** Whether {@link CoveredStep.digest} covers the values or the places that they come from. */
  readonly values: WholePlanValues;
  /** Compared with the digest of the step's own approval, or with its template's. */
  readonly digest: string;
  /** The step's own approval that was granted; absent: none yet. */
  readonly granted?: string;
}

/** What would run, for the eyes of an approver. */
export interface ApprovalSubject {
  readonly toolName: string;
  readonly dataSource: string;
  readonly intent: string;
  /** The step's template, as it was written. */
  readonly queryTemplate: string;
  /** What runs: SQL with parameters, or the arguments of a tool. */
  readonly statement: string;
  /** The parameters' values, in order. */
  readonly values: readonly ShownValue[];
  /** Values that are not shown, because there are too many or the reader may not have them; 0 when all are. */
  readonly valuesLeftOut: number;
  /** Absent when no policy depends on the touched data, and for tools that take no SQL. */
  readonly tables?: readonly ShownTable[];
  /** Rows that it may change at most; absent: only the data source's limit. */
  readonly rowsChangedMax?: number;
  /** The plan's revision that gave the step its present definition. */
  readonly revision: number;
  /** Of an operation: what the names in its parameters stood for at the request. */
  readonly resolved?: readonly ResolvedName[];
  /** The migration that the step applies. */
  readonly migration?: ApprovedMigration;
  /** The steps of the plan in their order, when the approval is for the whole plan. */
  readonly planSteps?: readonly ShownPlanStep[];
}

/** A step in the approval of its plan. */
export interface ShownPlanStep {
  readonly stepId: string;
  readonly dataSource: string;
  readonly intent: string;
  readonly statement: string;
  /** `covered` by the approval; `separate`: it will wait for one of its own; `free`: needs none. */
  readonly approval: "covered" | "separate" | "free";
  /** The values, if they are known; otherwise the places that they come from. */
  readonly values: readonly ShownValue[] | { readonly from: readonly string[] };
  readonly tables?: readonly ShownTable[];
  /** Rows that the database's planner expects. */
  readonly estimatedRows?: number;
  /** Why it is not covered. */
  readonly note?: string;
}

/** A value of a statement. */
export interface ShownValue {
  /** The value as text; NULL is `null`. */
  readonly text: string | null;
  /** Its type on the data source, where it is known. */
  readonly type?: string;
  /** Bytes of the whole value, when `text` is only its beginning. */
  readonly bytes?: number;
}

/** A table that a statement touches, and how. */
export interface ShownTable {
  readonly name: string;
  readonly accesses: readonly DataAccess[];
}

/** A migration, identified by the digest of its script and its target. */
export interface ApprovedMigration {
  readonly id: string;
  readonly digest: string;
  /** User id of the person who proposed it, or for whom an agent did. */
  readonly author?: string;
}

/** Rows that what is approved may change at most: what every approver agrees with. */
export function approvedRowsMax({ decisions }: Pick<Approval, "decisions">): number | undefined {
  const maxima = decisions.flatMap(({ decision, rowsChangedMax }) =>
    decision === "approve" && rowsChangedMax !== undefined ? [rowsChangedMax] : [],
  );
  return maxima.length === 0 ? undefined : Math.min(...maxima);
}

/** The status at a time. */
export function shownStatus(
  { status, expiresAtMs }: Pick<Approval, "status" | "expiresAtMs">,
  nowMs: number,
): ApprovalStatus {
  const isOpen = status === "pending" || status === "approved";
  return isOpen && nowMs > expiresAtMs ? "expired" : status;
}
