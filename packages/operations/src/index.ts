/**
 * The operations of Steward, one file each: what an operation is, who may call it, its messages, and where it is
 * reachable. Routes, methods, commands and the client's types are derived from them. A program that needs plans only
 * imports `@steward/operations/plans`, which loads no other schemas.
 */
import { approvals } from "./approvals/index.js";
import { audit } from "./audit/index.js";
import { billing } from "./billing/index.js";
import { catalog } from "./catalog/index.js";
import { keys } from "./keys/index.js";
import { memory } from "./memory/index.js";
import { migrations } from "./migrations/index.js";
import { plans } from "./plans/index.js";
import { policies } from "./policies/index.js";
import { retention } from "./retention/index.js";
import { webhooks } from "./webhooks/index.js";
import { state } from "./state/index.js";
import { system } from "./system/index.js";

/** All operations, by the group of the client that they belong to. */
export const operations = {
  approvals,
  audit,
  billing,
  catalog,
  keys,
  memory,
  migrations,
  plans,
  policies,
  retention,
  state,
  system,
  webhooks,
};

export {
  approvals,
  audit,
  billing,
  catalog,
  keys,
  memory,
  migrations,
  plans,
  policies,
  retention,
  state,
  system,
  webhooks,
};
export {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalParty,
  type ApprovalPreview,
  type ApprovedPlanStep,
} from "./approvals/approval.js";
export { type AuditRecord } from "./audit/audit-record.js";
export { type ProvenAuditRecord } from "./audit/get-audit-record.js";
export { type AuditQuery } from "./audit/list-audit-records.js";
export { type AuditWitness } from "./audit/list-audit-witnesses.js";
export { type Budget } from "./billing/budgets/budget.js";
export { type SetupIntent } from "./billing/payments/create-setup-intent.js";
export { type PaymentForm } from "./billing/payments/get-payment-form.js";
export { type PaymentMethod } from "./billing/payments/list-payment-methods.js";
export { type Price } from "./billing/prices/price.js";
export { type OrganizationUsage } from "./billing/usage/get-organization-usage.js";
export { type StorageUsage } from "./billing/usage/get-storage-usage.js";
export { type HeatMapRow } from "./billing/usage/get-usage-heat-map.js";
export { type DailyUsage } from "./billing/usage/get-usage.js";
export { type UsageTotals } from "./billing/usage/totals.js";
export { type UsageDifference } from "./billing/usage/verify-usage.js";
export { type CatalogListing } from "./catalog/list-catalog.js";
export { type CatalogTable } from "./catalog/list-tables.js";
export { type CatalogMatch } from "./catalog/search-catalog.js";
export { type ApiKey, type IssuedApiKey } from "./keys/api-key.js";
export { type MemoryStats } from "./memory/get-memory-stats.js";
export { type MemoryEntry } from "./memory/memory-entry.js";
export { type MemoryExplanation, type MemoryResult } from "./memory/search-memory.js";
export { BY_HAND } from "./by-hand.js";
export { type ListedOperation, listedOperations } from "./listed-operation.js";
export { type StateConflict } from "./state/branch-moves.js";
export { type StateFault } from "./state/check-state.js";
export {
  stateDocumentQuerySchema,
  stateExportQuerySchema,
  stateImportedSchema,
  stateImportSchema,
  type StateDocumentQuery,
  type StateExportQuery,
  type StateImport,
  type StateImported,
} from "./state/documents.js";
export { type StateDiff } from "./state/get-state-diff.js";
export { type StateCommit } from "./state/get-state-log.js";
export { type StateRef } from "./state/list-state-refs.js";
export { type StateMerged } from "./state/merge-state.js";
export { type StateProof } from "./state/prove-state.js";
export { type StateAnswer } from "./state/query-state.js";
export { type StateReverted } from "./state/revert-state.js";
export { STATE_FORMATS, type StateFormat, type StatePattern } from "./state/state-fields.js";
export { type StateAtomicTerm, type StateQuad, type StateTerm } from "./state/state-terms.js";
export type { Command, CommandArgument, CommandColumn, CommandOption } from "./command.js";
export { type SchemaDiff } from "./migrations/compare-schemas.js";
export { type Migration } from "./migrations/migration.js";
export {
  type MigrationFinding,
  type MigrationLock,
  type MigrationPhase,
  type SchemaOperation,
} from "./migrations/schema-changes.js";
export { type StepDetail, type StepValue } from "./plans/get-step.js";
export { type PlanCheck, type StepCheck } from "./plans/plan-check.js";
export { type CheckedTable, type DecidingPolicy, type Verdict } from "./plans/plan-check.js";
export { type PlanRevised } from "./plans/plan-revised.js";
export {
  ON_FAILURE,
  type OnFailure,
  type Plan,
  PLAN_STATUSES,
  PLAN_WAIT_REASONS,
  type PlanState,
  planState as planStateSchema,
  type PlanStatus,
  type PlanStep,
  type PlanSummary,
} from "./plans/plan.js";
export { type PlanStepDef } from "./plans/step-definition.js";
export {
  type LlmContextUpdate,
  type OutputPageQuery,
  outputPageQuery as outputPageQuerySchema,
  type SchemaTableDelta,
  STEP_STATUSES,
  type StepError,
  type StepExecution,
  stepExecution as stepExecutionSchema,
  type StepResult,
  type StepStatus,
} from "./plans/step-execution.js";
export {
  type SubmitPlanRequest,
  submitPlanQuery as submitPlanQuerySchema,
  submitPlanRequest as submitPlanRequestSchema,
} from "./plans/submitted-plan.js";
export { type PolicyProblem } from "./policies/check-policies.js";
export { type PolicyAnswer } from "./policies/explain-policies.js";
export { type PolicyCase } from "./policies/test-policies.js";
export { type Erasure } from "./retention/erasure.js";
export { type ErasureEstimate } from "./retention/estimate-erasure.js";
export { type LegalHold } from "./retention/legal-hold.js";
export { type Retention, type RetentionPeriod } from "./retention/retention-periods.js";
export { type SystemStatus } from "./system/get-system-status.js";
export { type Readiness, readiness as readinessSchema } from "./system/readiness.js";
export { type WebhookDelivery } from "./webhooks/list-webhook-deliveries.js";
export {
  type AnyObject,
  type Audit,
  type GrpcMethod,
  type ClientOf,
  type Infer,
  type InputOf,
  type NamedThing,
  type Operation,
  type OperationTable,
  type OutputOf,
  placesOf,
  type ResolvedParameters,
  type RestRoute,
} from "./operation.js";
