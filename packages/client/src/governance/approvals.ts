import type {
  Approval,
  ApprovalChoice,
  ApprovalPage,
  ApprovalPageQuery,
} from "@steward/protocol/rest";
import type { Http } from "../http.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** Approvals: the routes under `/api/approvals`. Calls reject with a StewardError. */
export interface Approvals {
  /** One page, newest first. */
  list(query?: ApprovalPageQuery, options?: CallOptions): Promise<ApprovalPage>;
  /** All approvals, newest first, fetched page by page; `limit` is the page size. */
  listAll(query?: ApprovalPageQuery, options?: CallOptions): AsyncIterable<Approval>;
  /** The statement that would run, a preview of its changes, the policies and the decisions so far. */
  get(approvalId: string, options?: CallOptions): Promise<Approval>;
  /**
   * Approves what has the digest in `choice`, as the caller of this client. Rejects with
   * `APPROVAL_CONFLICT` when something else would run.
   */
  approve(approvalId: string, choice: ApprovalChoice, options?: CallOptions): Promise<Approval>;
  /** Denies it: the step fails, and the agent is told the reason. */
  deny(approvalId: string, choice: ApprovalChoice, options?: CallOptions): Promise<Approval>;
  /** Ends a standing approval: later statements need approvals of their own again. */
  revoke(approvalId: string, options?: CallOptions): Promise<Approval>;
}

export function createApprovals(http: Http): Approvals {
  const list: Approvals["list"] = (query = {}, { signal } = {}) =>
    http.call({ method: "GET", path: PATH, query: { ...query }, idempotent: true, signal });
  const decide =
    (verb: "approve" | "deny"): Approvals["approve"] =>
    (approvalId, body, { signal } = {}) =>
      http.call({
        method: "POST",
        path: `${pathOf(approvalId)}/${verb}`,
        body,
        idempotent: true,
        signal,
      });
  return {
    list,
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { approvals, next_cursor: next } = await list(page, options);
        return { items: approvals, next };
      }),
    get: (approvalId, { signal } = {}) =>
      http.call({ method: "GET", path: pathOf(approvalId), idempotent: true, signal }),
    approve: decide("approve"),
    deny: decide("deny"),
    revoke: (approvalId, { signal } = {}) =>
      http.call({
        method: "POST",
        path: `${pathOf(approvalId)}/revoke`,
        idempotent: true,
        signal,
      }),
  };
}

const PATH = "/api/approvals";

function pathOf(approvalId: string): string {
  return `${PATH}/${encodeURIComponent(approvalId)}`;
}
