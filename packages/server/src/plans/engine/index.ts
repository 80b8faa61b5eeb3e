/**
 * The engine that runs plans on a durable log.
 *
 * Glossary. **Node**: one process of this service. **Lease**: the time for which a node counts as
 * alive. **Owner** of a plan: the only node that may decide on it. **Claim**: the assignment of a
 * step to one attempt. **Entry**: the record that one append adds to a plan's log.
 */
export { PlanEngine } from "./plan-engine.js";
export {
  PlanConflict,
  type AppendSource,
  type AttemptEnd,
  type DueStep,
  type DueWork,
  type EarlierRequest,
  type EngineNode,
  type EventsOrigin,
  type HandoverListeners,
  type LoadedPlan,
  type LogEntry,
  type PlanHandover,
  type PlanLog,
  type PlanReads,
  type PlanUnit,
  type StoredResult,
} from "./plan-log.js";
export { cursorOutOfRange, planNotFound } from "./refusals.js";
export { takenResults, type StoredSource, type StoredStep } from "./step-results.js";
