/**
 * Witnesses of the audit log: servers of others that cosign a checkpoint only when its log continues
 * the one that they cosigned before (C2SP tlog-witness, tlog-cosignature).
 */
export type { CosignatureStore, CosignedCheckpoint, Witness, WitnessClient } from "./ports.js";
export { newestCosigned, witnessedPath, type VerifiedCosignature } from "./newest-cosigned.js";
export { CheckpointWitnesses, withCosignatures } from "./checkpoint-witnesses.js";
