/**
 * The client of Steward: submit plans, run them, watch them. Needs `fetch` and nothing else, so it
 * runs in Node, in browsers and at the edge. Bodies have the wire's own shapes.
 */
export { type Billing } from "./billing.js";
export { createClient, type ClientOptions, type StewardClient } from "./client.js";
export { type Memory } from "./memory.js";
export { type Migrations } from "./migrations.js";
export { type CallOptions, type Plans, type SubmitOptions } from "./plans.js";
export { type RunOptions, type StepProgress } from "./run-plan.js";
export { StewardError, type StewardErrorCode, type StewardErrorOptions } from "./steward-error.js";
export { isTerminalEvent, type WatchOptions } from "./watch-plan.js";
export type { ErrorCode } from "@steward/protocol";
export type {
  AcceptDriftRequest,
  AcceptedDrift,
  Budget,
  DailyUsage,
  DeletedEntries,
  DetachedPaymentMethod,
  ErrorDetail,
  HeatMapRow,
  LlmContextUpdate,
  MemoryEntry,
  MemoryEntryPage,
  MemoryExplanation,
  MemoryFilter,
  MemoryPageQuery,
  MemoryResult,
  MemoryRetention,
  MemorySearchRequest,
  MemoryStats,
  Migration,
  MigrationFinding,
  MigrationPhase,
  MigrationProof,
  MigrationProposal,
  NewBudget,
  NewMemoryEntry,
  NewPrice,
  PaymentMethod,
  Plan,
  PlanEvent,
  PlanPage,
  PlanPageQuery,
  PlanState,
  PlanStatus,
  PlanStep,
  PlanStepDef,
  PlanSummary,
  Price,
  ProofStretch,
  RemovedBudget,
  RenameHint,
  RepriceRequest,
  Repricing,
  RunMigrationRequest,
  SchemaDrift,
  SchemaOperation,
  SchemaPropertyChange,
  SchemaTableDelta,
  SetupIntent,
  StepError,
  StepExecution,
  StepResult,
  StepStatus,
  SubmitPlanRequest,
  UsageCloudEvent,
  UsageDifference,
  UsageIngestion,
  UsageQuery,
  UsageTotals,
  VerifyUsageRequest,
} from "@steward/protocol/rest";
