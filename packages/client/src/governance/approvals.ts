import type { Approval, approvals as operations, ClientOf, InputOf } from "@steward/operations";
import { APPROVALS } from "../gen/routes.js";
import type { Http } from "../http.js";
import { callsOf } from "../operations/operation-calls.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** Approvals: the routes under `/api/approvals`. Calls reject with a StewardError. */
export interface Approvals extends ClientOf<typeof operations, CallOptions> {
  /** All approvals, newest first, fetched page by page; `limit` is the page size. */
  eachApproval(
    query?: InputOf<typeof operations.listApprovals>,
    options?: CallOptions,
  ): AsyncIterable<Approval>;
}

export function createApprovals(http: Http): Approvals {
  const calls = callsOf<typeof operations>(http, APPROVALS);
  return {
    ...calls,
    eachApproval: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { approvals: items, next_cursor: next } = await calls.listApprovals(page, options);
        return { items, next };
      }),
  };
}
