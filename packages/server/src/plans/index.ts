/**
 * Plans: submission, execution, and storage of plans and their results.
 *
 * Glossary. **Plan**: steps that depend on each other. **Step**: one statement for one tool.
 * **Attempt**: one run of a step, numbered from 1. **Claim**: the assignment of a step to an owner.
 * **Lease**: the time for which a claim is valid. **Fencing**: an attempt that lost its claim
 * cannot finish. **Writer**: a caller whose statement a step has. **Settle**: to determine finally whether a write took effect. **Marker**: the row
 * that a write leaves in its target database.
 */
export { DurableOrchestrator } from "./orchestrators/durable-orchestrator.js";
export { PlanEngine } from "./engine/index.js";
export { NoopOrchestrator } from "./orchestrators/noop-orchestrator.js";
export type { PlanCheck, StepCheck, StepDetail } from "./plan-check.js";
export {
  hasApprovals,
  hasChecks,
  hasJournal,
  hasRevisions,
  hasStepDetails,
  type ApprovalChoice,
  type ApprovalPreview,
  type ApprovalView,
  type Orchestrator,
  type PageRequest,
  type PlanApprovals,
  type PlanChecks,
  type PlanFilter,
  type StoredPlanFilter,
  type PlanFork,
  type PlanJournal,
  type PlanPage,
  type PlanRevisions,
  type PlanSummary,
  type QueryRuntimeContext,
  type StepDetails,
  type StepRevision,
  type StepsToAppend,
} from "./orchestrator.js";
export { isUsableId } from "./orchestrators/orchestrator-answers.js";
export { recordedOrchestrator } from "./orchestrators/recorded-orchestrator.js";
export { keepInStore, type KeepToolCall } from "./orchestrators/tool-call-keeper.js";
export type {
  LlmContextUpdate,
  OnFailure,
  OutputLimits,
  PlanDefinition,
  PlanRecord,
  PlanRevised,
  PlanStatus,
  PlanWaitReason,
  PreparedStep,
  SchemaTableDelta,
  StepChanges,
  StepDefinition,
  StepError,
  StepExecution,
  StepRecord,
  StepResult,
  StepStatus,
  WaitReason,
} from "./plan.js";
export { RememberedOutputs } from "./attempts/remembered-outputs.js";
export { ShownResults } from "./orchestrators/shown-results.js";
export { StoredOutputs } from "./attempts/stored-outputs.js";
export { kindsOf } from "./attempts/permit-steps.js";
export { cutToBytes } from "./cut-text.js";
export { bindOutputs } from "./statements/bind-outputs.js";
export { groupedDigits } from "./statements/grouped-digits.js";
export { JsonSlice } from "./statements/json-slice.js";
export { tokenize } from "./statements/sql-text.js";
export {
  isTerminalEvent,
  NewPlanEvent,
  type PlanEvent,
  type PlanEventType,
} from "./plan-events.js";
