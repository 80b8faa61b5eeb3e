/**
 * The audit log: a record of every decision and effect, in a Merkle tree, so that no record can be
 * changed or removed without being noticed (Decision §23).
 *
 * - fact: an event to be recorded, committed in the same transaction as the change that it describes
 * - record: a fact in the tree; its canonical JSON is the leaf
 * - personal value: a value beside a record, which has one salted digest of all of its own; they can be erased
 * - sequencer: gives facts their places in the tree
 * - refusal: an operation that was not permitted, or an authentication that failed
 * - checkpoint: the size and the root of the tree, signed
 * - witness: a server of others that cosigns a checkpoint when the log continues the one before
 *
 * Read first: plan-facts.ts, record.ts, operation-recorder.ts, sequencer.ts, tree-appender.ts.
 */
export type { AuditRecord, ErasedValues } from "./ports.js";
export { assertKeyOfLog, AuditSequencer, type AuditSequencerParts } from "./sequencer.js";
export {
  AuditService,
  type AuditServiceParts,
  type ProvenRecord,
  type WitnessState,
} from "./audit-service.js";
export {
  OperationRecorder,
  type AskedOperation,
  type OperationRecord,
  type RecordTime,
  type RecordedWork,
} from "./operation-recorder.js";
export { Refusals } from "./refusals.js";
export { TreeAppender } from "./tree-appender.js";
export { CheckpointSigner } from "./signer.js";
export { logIdOf, rollbackOf, type SeenCheckpoints } from "./seen-checkpoint.js";
export { UNREADABLE_KIND } from "./unreadable.js";
export { verifyExport, type AuditFiles, type AuditVerdict } from "./verify.js";
export {
  checkpointText,
  entriesOf,
  isConsistent,
  leafHash,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  rootOfInclusion,
  TILE_WIDTH,
  tilePath,
  tileWidth,
  verifiedCheckpoint,
  verifierKeyText,
  type Checkpoint,
  type TileName,
  type VerifierKey,
} from "./tree/index.js";
