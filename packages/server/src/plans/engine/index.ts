/**
 * The engine that runs plans over a durable log.
 *
 * Glossary. **Node**: one process of this service. **Lease**: how long a node counts as alive. **Owner**
 * of a plan: the node that alone decides on it. **Claim**: taking a step for one attempt. **Entry**:
 * what one append adds to a plan's log.
 */
export { PlanEngine, type PlanEngineParts } from "./plan-engine.js";
export {
  PlanConflict,
  type AppendSource,
  type AttemptEnd,
  type DueWork,
  type EarlierRequest,
  type EngineNode,
  type HandoverListeners,
  type LoadedPlan,
  type LogEntry,
  type PlanHandover,
  type PlanLog,
  type PlanReads,
  type PlanUnit,
} from "./plan-log.js";
export { cursorOutOfRange, planNotFound } from "./refusals.js";
