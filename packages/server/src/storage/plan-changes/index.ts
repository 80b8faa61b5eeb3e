/**
 * The part of the plan log that both stores share: the rows of `plans` and `plan_changes`, which
 * have the same columns on both engines, and their conversion to domain values.
 */
export {
  APPROVAL_COLUMNS,
  approvalConditions,
  approvalJson,
  approvalPageOf,
  approvalWritesOf,
  OF_OPERATION_MAX,
  standingCondition,
  storedApprovalOf,
  writtenInApprovals,
  type ApprovalRow,
  type ApprovalWrite,
} from "./approval-row.js";
export { callOf } from "./call-codec.js";
export {
  changeRowsOf,
  eventPageOf,
  storedResultOf,
  type ChangeRow,
  type ResultRow,
} from "./change-row.js";
export { eventsJson, planEventsOf } from "./event-codec.js";
export { originsJson, originsOf, SUBMITTER_PLACES, submitterOf } from "./origin-codec.js";
export {
  abandonedStepOf,
  failureJson,
  loadedPlanOf,
  PLAN_COLUMNS,
  planPageOf,
  type AbandonedRow,
  type PlanRow,
} from "./plan-row.js";
export { forkedStepsJson, forkSources, preparedStepsOf } from "./step-codec.js";
export { webhookNewsOf } from "./webhook-news.js";
