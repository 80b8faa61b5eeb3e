/**
 * The REST messages: one zod schema per body and query, with snake_case names as they are sent, and
 * a type that is inferred from it.
 */
export { dataOf, type Data } from "./envelope.js";
export { errorBodySchema, type ErrorBody, type ErrorDetail } from "./errors.js";
export { systemStatusSchema, type SystemStatus } from "./system.js";
export {
  planEventSchema,
  planEventsQuerySchema,
  type PlanEvent,
  type PlanEventsQuery,
} from "./events.js";
export {
  planCheckSchema,
  submitPlanQuerySchema,
  VERDICTS,
  type CheckedTable,
  type DecidingPolicy,
  type PlanCheck,
  type StepCheck,
  type SubmitPlanQuery,
  type Verdict,
} from "./plan-checks.js";
export {
  readinessSchema,
  serviceIndexSchema,
  type Readiness,
  type ServiceIndex,
} from "./health.js";
export {
  migrationProposalSchema,
  unchangedSchemaSchema,
  type MigrationProposal,
  type RenameHint,
  type SchemaFile,
  type UnchangedSchema,
} from "./migrations.js";
export {
  setupIntentRequestSchema,
  setupIntentSchema,
  type SetupIntent,
  type SetupIntentRequest,
  setupPageSchema,
  type SetupPage,
} from "./payments.js";
export {
  appendStepsRequestSchema,
  forkPlanRequestSchema,
  planRevisedSchema,
  reviseStepRequestSchema,
  type AppendStepsRequest,
  type ForkPlanRequest,
  type PlanRevised,
  type ReviseStepRequest,
} from "./plan-revisions.js";
export {
  ON_FAILURE,
  PLAN_PAGE_MAX,
  PLAN_STATUSES,
  planPageQuerySchema,
  planPageSchema,
  planSchema,
  planStateSchema,
  submitPlanRequestSchema,
  type OnFailure,
  type Plan,
  type PlanPage,
  type PlanPageQuery,
  type PlanState,
  type PlanStatus,
  type PlanStep,
  type PlanStepDef,
  type PlanSummary,
  type SubmitPlanRequest,
} from "./plans.js";
export {
  STEP_STATUSES,
  stepErrorSchema,
  outputPageQuerySchema,
  stepExecutionSchema,
  type OutputPageQuery,
  type LlmContextUpdate,
  type SchemaTableDelta,
  type StepError,
  type StepExecution,
  type StepResult,
  type StepStatus,
} from "./steps.js";
export { stepDetailSchema, type StepDetail, type StepValue } from "./step-details.js";
export {
  USAGE_EVENTS_MAX,
  usageCloudEventSchema,
  usageIngestionSchema,
  type UsageCloudEvent,
  type UsageIngestion,
} from "./usage.js";
export {
  sessionSchema,
  signedInSchema,
  signedOutSchema,
  signInSchema,
  type Session,
  type SessionCaller,
  type SignedIn,
  type SignedOut,
  type SignIn,
} from "./session.js";
