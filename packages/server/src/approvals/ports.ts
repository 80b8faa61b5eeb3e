import type { Approval, ApprovalSubject, ApprovalStatus } from "./approval.js";

/** An approval with what it is for. */
export interface StoredApproval extends Approval {
  readonly orgId: string;
  readonly planId: string;
  readonly stepId: string;
  readonly sessionId: string;
  readonly subject: ApprovalSubject;
}

/** Conditions for a listing. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly planId?: string | undefined;
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
}
