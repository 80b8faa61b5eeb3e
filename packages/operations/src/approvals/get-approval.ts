import * as z from "zod";
import { operation } from "../operation.js";
import { approval, APPROVAL_EXAMPLE, approvalId } from "./approval.js";

export const getApproval = operation({
  name: "getApproval",
  action: "approvals:read",
  summary: "Read an approval",
  description:
    "What exactly would run, whose approval is needed, and who has decided. Those who can decide " +
    "see in preview what a waiting write would change now: it runs and is rolled back.",
  tag: "Approvals",
  input: z
    .strictObject({ approval_id: approvalId })
    .meta({ examples: [{ approval_id: APPROVAL_EXAMPLE.approval_id }] }),
  output: approval,
  errors: [403, 404, 501],
  rest: {
    method: "GET",
    path: "/api/approvals/{approval_id}",
    impossibleIds: "unknown",
    answered: "The approval",
  },
});
