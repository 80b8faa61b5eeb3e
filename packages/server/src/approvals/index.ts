/**
 * Approvals: persons decide about statements that policies do not permit without them. The truth about
 * the approval of a statement is its plan's log, and everything about it is pure. {@link OperationApprovals} are those of other
 * operations, such as a change of policies or keys.
 *
 * Glossary. **Approval**: the request for a decision and, later, the decision. **Rule**: a policy
 * that demands an approval, with the role and the number of the approvers. **Requester**: the caller
 * whose ExecuteStep needs the approval. **Approver**: a person who decides. **Subject**: what would
 * run. **Resolved name**: the id of what a name in an operation's parameters stands for. **Digest**: SHA-256 of everything that an approval is bound to. **Standing approval**: one
 * that also grants the approvals of later statements of its shape, for a time.
 */
export {
  approvedRowsMax,
  OPERATION_PLAN_ID,
  shownStatus,
  type Approval,
  type ApprovalDecision,
  type ApprovalParty,
  type ApprovalStatus,
  type ApprovalSubject,
  type ApprovedMigration,
  type CoveredStep,
  type ShownPlanStep,
  type ShownTable,
  type ShownValue,
} from "./approval.js";
export {
  areMet,
  countingDecisions,
  decideApproval,
  denialOf,
  isSameParty,
  missingFor,
  standingMsMax,
  whyNotApprover,
  whyNotRevoker,
  type DecisionResult,
  type WantedDecision,
} from "./decide.js";
export {
  approvalDigest,
  standingDigest,
  wholePlanDigest,
  type ApprovedContent,
  type StandingContent,
} from "./digest.js";
export {
  OperationApprovals,
  type ApprovableOperation,
  type ResolvedOperation,
  type UsedApproval,
} from "./operation-approvals.js";
export { approverOf, partyOf } from "./party.js";
export { requireApprovedRevision, type ResolvedName, type ShownName } from "./resolved-names.js";
