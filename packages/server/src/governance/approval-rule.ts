import { AppError, type AppErrorOptions } from "@steward/kernel/errors.js";

/** A policy that forbids a statement until persons with a role have approved it. */
export interface ApprovalRule {
  readonly policyId: string;
  readonly reason?: string;
  /** The role that approvers need, in lower case. */
  readonly role: string;
  /** How many different persons with the role must approve; 1 or more. */
  readonly approversMin: number;
  /**
   * Whether the approval of a whole plan meets it: `known` when the statement's values are known by
   * then, `derived` also when they come from steps of the plan that have yet to run. Absent: each
   * statement is approved by itself.
   */
  readonly wholePlan?: WholePlanValues;
  /**
   * How long an approval may stand for later statements of the same shape, in ms. Absent: it is for
   * one statement.
   */
  readonly standingMs?: number;
  /** Whether an approved statement may change rows that the database does not count. */
  readonly mayChangeUncounted?: true;
}

/** The values with which a statement may be approved together with its plan. */
export type WholePlanValues = "known" | "derived";

/** The approvals that policies demand before a statement may run. */
export interface NeededApproval {
  /** Each of them must be met. */
  readonly rules: readonly ApprovalRule[];
  /** Identifies the texts of all policies that decided. */
  readonly policyVersion: string;
  /** Rows that the statement may change at most, whoever approves it. */
  readonly rowsChangedMax?: number;
}

/** The statement may run only when persons have approved it. */
export class ApprovalRequired extends AppError {
  readonly needed: NeededApproval;

  constructor(message: string, needed: NeededApproval, options: AppErrorOptions = {}) {
    super("APPROVAL_REQUIRED", message, options);
    this.needed = needed;
  }
}

/**
 * An operation, such as the creation of an API key, may run only when persons have approved it. It is
 * an error of its own, so that no step is taken for one that waits.
 */
export class OperationApprovalRequired extends AppError {
  /** The action that the policies are about. */
  readonly action: string;
  readonly needed: NeededApproval;

  constructor(action: string, approvers: string, needed: NeededApproval, options: AppErrorOptions) {
    super("APPROVAL_REQUIRED", `${action} needs the approval of ${approvers}`, options);
    this.action = action;
    this.needed = needed;
  }
}

/** What `approvedUnder` of a caller says of one policy and one action that the policy forbids. */
export function liftedPolicy(action: string, policyId: string): string {
  return JSON.stringify([action, policyId]);
}
