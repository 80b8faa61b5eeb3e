import type { Approval, ApprovalSubject, ApprovalStatus } from "./approval.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** An approval with what it is for. */
export interface StoredApproval extends Approval {
  readonly orgId: string;
  readonly planId: string;
  readonly stepId: string;
  readonly sessionId: string;
  readonly subject: ApprovalSubject;
  /** Who ended it as a standing approval before its time, and when. */
  readonly revoked?: { readonly by: string; readonly atMs: number };
}

/** Conditions for a listing. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly planId?: string | undefined;
  /** Only approvals that stand for later statements now. */
  readonly isStanding?: boolean | undefined;
}

/** One page of a listing. */
export interface ApprovalPageRequest {
  /** 1 to `APPROVALS_PAGE_MAX`. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface ApprovalPage {
  readonly approvals: readonly StoredApproval[];
  readonly nextCursor?: string;
}

/**
 * The index of approvals. A plan's log is their truth; the index is written in the log's
 * transaction. Errors of each method: `STORE_UNAVAILABLE` when the store cannot be reached.
 */
export interface ApprovalIndex {
  /** @returns `undefined` for an unknown id, and for another organization's. */
  find(orgId: string, approvalId: string): Promise<StoredApproval | undefined>;

  /** Newest first. @param nowMs the time at which approvals expire. */
  list(
    orgId: string,
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    nowMs: number,
  ): Promise<ApprovalPage>;

  /** An approval that stands now for statements with this digest of their shape. */
  standing(orgId: string, shapeDigest: string, nowMs: number): Promise<StoredApproval | undefined>;

  /** The approvals of an operation with this digest, the newest first; 20 at most. */
  ofOperation(orgId: string, digest: string): Promise<readonly StoredApproval[]>;

  /**
   * Adds the approval of an operation, or changes it, and deletes those of the organization that ended
   * long ago, unless it has a legal hold.
   * @param former what it is changed from; absent: it is new.
   * @returns false, with nothing changed, when the stored one is another, or too many wait under its policies.
   */
  put(
    approval: StoredApproval,
    former?: StoredApproval,
    operation?: RecordedOperation,
  ): Promise<boolean>;

  /** Ends a standing approval. Repeating it changes nothing. */
  revoke(
    orgId: string,
    approvalId: string,
    revoked: { by: string; atMs: number },
    operation?: RecordedOperation,
  ): Promise<void>;
}

/** Whether an approval stands at a time for later statements of its shape. */
export function isStanding(
  { status, standingUntilMs, revoked }: StoredApproval,
  nowMs: number,
): boolean {
  const isInForce = status === "approved" || status === "used";
  return isInForce && revoked === undefined && nowMs < (standingUntilMs ?? 0);
}
