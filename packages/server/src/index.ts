/**
 * Steward for embedding: {@link openApp} starts the service in your process, and
 * {@link loadConfig} reads its settings from environment variables, as the command line does. The
 * other exports are the types of their options and results, and the ports that a program may
 * implement itself.
 */
export {
  openApp,
  type App,
  type AppOptions,
  type ProgramApp,
  type ProgramAppOptions,
} from "./app/app.js";
export {
  type Config,
  type DataSourceConfig,
  loadConfig,
  type SettingSources,
  type ToolConfig,
  type ToolsConfig,
} from "./config/index.js";
export {
  EmbeddingError,
  type EmbeddingFailureReason,
  type EmbeddingInputType,
  type EmbeddingProvider,
  type EmbedOptions,
} from "./embedding/index.js";
export { AppError, type FieldViolation } from "@steward/kernel/errors.js";
export type { Caller } from "@steward/kernel/caller.js";
export type { Clock } from "@steward/kernel/clock.js";
export type { ProgramClient, ProgramIdentity } from "./transport/in-process/index.js";
export type { EventBus, Unsubscribe } from "./kernel/event-bus.js";
export type { Ids } from "@steward/kernel/ids.js";
export type { Log, LogFields } from "@steward/kernel/log.js";
export type { AuditEvents, LlmToolCallAuditRecorded } from "./kernel/tool-call.js";
export type {
  LlmContextUpdate,
  Orchestrator,
  PageRequest,
  PlanDefinition,
  PlanEvent,
  PlanEventType,
  PlanFilter,
  PlanJournal,
  PlanPage,
  PlanRecord,
  PlanStatus,
  PlanSummary,
  QueryRuntimeContext,
  SchemaTableDelta,
  StepDefinition,
  StepError,
  StepExecution,
  StepRecord,
  StepResult,
  StepStatus,
  WaitReason,
} from "./plans/index.js";
