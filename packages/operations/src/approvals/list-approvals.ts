import * as z from "zod";
import { operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";
import { approval, APPROVAL_EXAMPLE, APPROVAL_STATUSES } from "./approval.js";

export const listApprovals = operation({
  name: "listApprovals",
  action: "approvals:read",
  summary: "List approvals, newest first",
  description:
    "Approvals of your organization, a page at a time. next_cursor leads to the next page.",
  tag: "Approvals",
  input: z.strictObject({
    status: z.enum(APPROVAL_STATUSES).exactOptional().describe("Only approvals with this status"),
    plan_id: z.string().exactOptional().describe("Only approvals of this plan"),
    standing: z
      .enum(["true", "false"])
      .exactOptional()
      .describe("true: only approvals that stand for later statements now"),
    limit: pageLimit(200).describe("Approvals on a page, 1 to 200; default 50"),
    cursor,
  }),
  output: z
    .object({
      approvals: z.array(approval).readonly().describe("The approvals, the newest first"),
      next_cursor: nextCursor,
    })
    .meta({
      id: "ApprovalPage",
      description: "A page of approvals",
      examples: [{ approvals: [APPROVAL_EXAMPLE] }],
    }),
  errors: [403, 501],
  rest: { method: "GET", path: "/api/approvals", answered: "A page of approvals" },
});
