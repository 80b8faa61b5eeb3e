import * as z from "zod";
import { operation } from "../operation.js";
import { approval, APPROVAL_EXAMPLE, approvalId } from "./approval.js";

export const revokeApproval = operation({
  name: "revokeApproval",
  action: "approvals:decide",
  audit: { kind: "approval.revoke", time: "withEffect" },
  summary: "Revoke a standing approval",
  description:
    "Later statements need approvals of their own again, also those that have been granted one and " +
    "not run yet. You are the caller of the request; an agent cannot revoke.",
  tag: "Approvals",
  input: z
    .strictObject({ approval_id: approvalId })
    .meta({ examples: [{ approval_id: APPROVAL_EXAMPLE.approval_id }] }),
  output: approval,
  errors: [403, 404, 409, 501],
  rest: {
    method: "POST",
    path: "/api/approvals/{approval_id}/revoke",
    impossibleIds: "unknown",
    answered: "The approval, revoked",
  },
  cli: {
    command: "approvals revoke",
    summary: "Revokes a standing approval: later statements need approvals of their own again.",
    role: "approver",
    arguments: [
      {
        ...{ member: "approval_id", name: "approval-id" },
        description: "Id of the approval: steward approvals list --standing.",
      },
    ],
    print: "revoked at {revoked_at}",
  },
  retry: true,
});
