import { operation } from "../operation.js";
import { approval } from "./approval.js";
import { approvalChoice, decidedApproval } from "./approval-choice.js";

export const denyApproval = operation({
  name: "denyApproval",
  action: "approvals:decide",
  audit: "plan log",
  summary: "Deny what a step would run",
  description:
    "The step fails, and its agent is told your reason. " +
    "The digest says what you have read; when something else would run, the answer is 409. " +
    "You are the caller of the request: neither its requester nor an agent can decide.",
  tag: "Approvals",
  input: decidedApproval,
  output: approval,
  errors: [403, 404, 409, 501],
  rest: {
    method: "POST",
    path: "/api/approvals/{approval_id}/deny",
    body: approvalChoice,
    impossibleIds: "unknown",
    answered: "The approval with your decision",
  },
  retry: true,
});
