/**
 * The client of Steward: submit plans, run them, watch them. It only needs `fetch`, so it runs in
 * Node, in browsers and on edge runtimes. Bodies have the same fields as on the wire.
 */
export { type Approvals } from "./governance/approvals.js";
export { type Billing } from "./billing.js";
export { callerHeaders, createClient, type ClientOptions, type StewardClient } from "./client.js";
export { type Memory } from "./memory.js";
export { type Migrations } from "./migrations.js";
export {
  type CallOptions,
  type ExecuteOptions,
  type PlanCalls,
  type Plans,
  plansOf,
  type SubmitOptions,
} from "./plans.js";
export { type Audit } from "./audit.js";
export { type Keys } from "./access/keys.js";
export { type Webhooks } from "./governance/webhooks.js";
export { type Session } from "./access/session.js";
export { type State, type StateDocument } from "./state.js";
export type { StreamedBody } from "./http.js";
export { type RunOptions, type StepProgress } from "./run-plan.js";
export { StewardError, type StewardErrorCode, type StewardErrorOptions } from "./steward-error.js";
export {
  answerAnthropicCalls,
  anthropicTools,
  type AnthropicContent,
  type AnthropicTool,
  type AnthropicToolResult,
} from "./tools/anthropic.js";
export {
  answerOpenAiCalls,
  openAiTools,
  type OpenAiTool,
  type OpenAiToolCall,
  type OpenAiToolMessage,
} from "./tools/openai.js";
export {
  answerOpenAiResponsesCalls,
  openAiResponsesTools,
  type OpenAiResponsesItem,
  type OpenAiResponsesOutput,
  type OpenAiResponsesTool,
} from "./tools/openai-responses.js";
export type { ToolBehavior, ToolDefinition, ToolResult, Tools, ToolSchema } from "./tools/tools.js";
export { isTerminalEvent, type WatchOptions } from "./watch-plan.js";
export { orderedObject, parseOrdered } from "./ordered-json.js";
export type { ErrorCode } from "@steward/protocol";
export type {
  ApiKey,
  Approval,
  ApprovalParty,
  ApprovalPreview,
  ApprovedPlanStep,
  AuditQuery,
  AuditRecord,
  Budget,
  CatalogListing,
  CatalogMatch,
  CatalogTable,
  DailyUsage,
  Erasure,
  ErasureEstimate,
  HeatMapRow,
  IssuedApiKey,
  LegalHold,
  MemoryEntry,
  MemoryExplanation,
  MemoryResult,
  MemoryStats,
  OrganizationUsage,
  PaymentForm,
  PaymentMethod,
  PolicyAnswer,
  PolicyCase,
  PolicyProblem,
  Price,
  ProvenAuditRecord,
  Retention,
  RetentionPeriod,
  StateAnswer,
  StateAtomicTerm,
  StateCommit,
  StateConflict,
  StateDiff,
  StateFault,
  StateFormat,
  StateImport,
  StateImported,
  StateMerged,
  StatePattern,
  StateProof,
  StateQuad,
  StateRef,
  StateReverted,
  StateTerm,
  StorageUsage,
  UsageDifference,
  UsageTotals,
  SetupIntent,
  WebhookDelivery,
  OnFailure,
  OutputPageQuery,
  LlmContextUpdate,
  Plan,
  PlanCheck,
  PlanRevised,
  PlanState,
  PlanStatus,
  PlanStep,
  PlanStepDef,
  PlanSummary,
  SchemaTableDelta,
  StepCheck,
  StepDetail,
  StepError,
  StepExecution,
  StepResult,
  StepStatus,
  StepValue,
  SubmitPlanRequest,
  SystemStatus,
  Migration,
  MigrationFinding,
  MigrationLock,
  MigrationPhase,
  SchemaDiff,
  SchemaOperation,
} from "@steward/operations";
export type {
  ErrorDetail,
  MigrationProposal,
  PlanEvent,
  RenameHint,
  SchemaFile,
  Session as SessionState,
  SessionCaller,
  SetupPage,
  SignedIn,
  SignedOut,
  UnchangedSchema,
  UsageCloudEvent,
  UsageIngestion,
} from "@steward/protocol/rest";
