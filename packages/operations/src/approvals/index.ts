import { operationTable } from "../operation.js";
import { denyApproval } from "./deny-approval.js";
import { getApproval } from "./get-approval.js";
import { grantApproval } from "./grant-approval.js";
import { listApprovals } from "./list-approvals.js";
import { revokeApproval } from "./revoke-approval.js";

/** What persons approve (Decision §16). */
export const approvals = operationTable({
  listApprovals,
  getApproval,
  grantApproval,
  denyApproval,
  revokeApproval,
});
