/**
 * How long data is kept.
 *
 * Glossary. **Class**: a kind of data with a retention period of its own. **Period**: the days for
 * which data of a class is kept; the operator sets one for everybody, and an organization may set
 * its own. **Legal hold**: forbids every deletion in an organization or a session until it is lifted.
 * **Erasure**: the deletion of everything of a subject (an organization, a session or a user); its
 * **receipt** says how much was deleted. **Sweep**: one pass over all organizations that deletes what is expired.
 */
export {
  ERASURE_SCOPES,
  type ErasedCounts,
  type Erasure,
  type ErasureEstimate,
  type ErasureScope,
  type ErasureSubject,
  type PlansInScope,
} from "./erasure.js";
export { coveringHold, Eraser } from "./eraser.js";
export { ErasureService, type ErasureRequest } from "./erasure-service.js";
export { noErasedRows, noErasures, noRetentionStore } from "./no-retention-store.js";
export {
  RETENTION_CLASSES,
  type RetentionClass,
  type RetentionPeriods,
  type RetentionRules,
} from "./retention-period.js";
export {
  RetentionService,
  type PeriodChanges,
  type ShownPeriod,
  type ShownRetention,
} from "./retention-service.js";
export { RetentionSweeper } from "./retention-sweeper.js";
