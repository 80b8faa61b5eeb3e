/**
 * The REST wire: one schema and one type per body and query, in the wire's own snake_case. The types
 * are written out and the schemas are checked against them by the compiler.
 */
export { dataOf, type Data } from "./envelope.js";
export { errorBodySchema, type ErrorBody, type ErrorDetail } from "./errors.js";
export {
  planEventSchema,
  planEventsQuerySchema,
  type PlanEvent,
  type PlanEventsQuery,
} from "./events.js";
export { readinessSchema, type Readiness } from "./health.js";
export {
  detachedPaymentMethodSchema,
  paymentMethodSchema,
  setupIntentRequestSchema,
  setupIntentSchema,
  type DetachedPaymentMethod,
  type PaymentMethod,
  type SetupIntent,
  type SetupIntentRequest,
} from "./payments.js";
export {
  PLAN_PAGE_MAX,
  PLAN_STATUSES,
  planPageQuerySchema,
  planPageSchema,
  planSchema,
  planStateSchema,
  submitPlanRequestSchema,
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
  newBudgetSchema,
  budgetSchema,
  newPriceSchema,
  priceSchema,
  removedBudgetSchema,
  repriceRequestSchema,
  repricingSchema,
  type Budget,
  type NewBudget,
  type Price,
  type NewPrice,
  type RemovedBudget,
  type RepriceRequest,
  type Repricing,
} from "./pricing.js";
export {
  STEP_STATUSES,
  stepErrorSchema,
  stepExecutionSchema,
  type LlmContextUpdate,
  type SchemaTableDelta,
  type StepError,
  type StepExecution,
  type StepResult,
  type StepStatus,
} from "./steps.js";
export {
  dailyUsageSchema,
  heatMapRowSchema,
  USAGE_EVENTS_MAX,
  USAGE_GROUPINGS,
  usageCloudEventSchema,
  usageDifferenceSchema,
  usageIngestionSchema,
  usageQuerySchema,
  verifyUsageRequestSchema,
  type DailyUsage,
  type HeatMapRow,
  type UsageCloudEvent,
  type UsageDifference,
  type UsageGrouping,
  type UsageIngestion,
  type UsageQuery,
  type UsageTotals,
  type VerifyUsageRequest,
} from "./usage.js";
