import { operation } from "../operation.js";
import { approval } from "./approval.js";
import { approvalChoice, decidedApproval } from "./approval-choice.js";

export const grantApproval = operation({
  name: "grantApproval",
  action: "approvals:decide",
  audit: "plan log",
  summary: "Approve what a step would run",
  description:
    "When enough persons have approved it, the step runs the next time that it is executed. " +
    "The digest says what you have read; when something else would run, the answer is 409. " +
    "You are the caller of the request: neither its requester nor an agent can decide.",
  tag: "Approvals",
  input: decidedApproval,
  output: approval,
  errors: [403, 404, 409, 501],
  rest: {
    method: "POST",
    path: "/api/approvals/{approval_id}/approve",
    body: approvalChoice,
    impossibleIds: "unknown",
    answered: "The approval with your decision",
  },
  retry: true,
});
