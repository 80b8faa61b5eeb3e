/**
 * The part of the plan log that both stores share: the rows of `plans` and `plan_changes`, which
 * have the same columns on both engines, and their conversion to domain values.
 */
export {
  APPROVAL_COLUMNS,
  approvalJson,
  approvalWritesOf,
  OF_OPERATION_MAX,
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
export { columnsWithoutUser, inJson, NAMING_COLUMNS } from "./erased-user.js";
export { eventsJson, storedEventsOf } from "./event-codec.js";
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
export { sourcesJson, sourcesIn } from "./recorded-caller.js";
export { forkedStepsJson, forkSources, preparedStepsJson, preparedStepsOf } from "./step-codec.js";
export { webhookNewsOf } from "./webhook-news.js";
