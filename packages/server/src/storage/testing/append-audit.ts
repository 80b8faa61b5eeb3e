import { generateKeyPairSync } from "node:crypto";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { AuditSequencer, CheckpointSigner } from "../../audit/index.js";
import type { AuditFilter, AuditRecord, AuditSequence } from "../../audit/ports.js";
import {
  leafHash,
  TreeEdge,
  verifiedCheckpoint,
  type VerifierKey,
} from "../../audit/tree/index.js";
import type { Store } from "../store.js";

/** Makes records of all waiting facts, under a checkpoint without a signature. */
export async function appendAudit(sequence: AuditSequence): Promise<void> {
  for (;;) {
    const batch = await sequence.prepare([], 1000);
    if (batch.size === batch.from) return;
    await sequence.append(batch, "");
  }
}

const SIGNER = new CheckpointSigner(
  "steward.test/audit",
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
);

/** The key of the log that {@link flushAudit} signs. */
export const AUDIT_TEST_KEY: VerifierKey = SIGNER.key;

/** Makes records of everything that is waiting. */
export async function flushAudit({ audit }: Pick<Store, "audit">): Promise<void> {
  const parts = { ...audit, signer: SIGNER, clock: systemClock, log: silentLog };
  await using sequencer = new AuditSequencer(parts);
  await sequencer.flush();
}

/** The newest records of an organization, newest first, whatever their bytes. */
export async function newestRecords(
  { audit }: Pick<Store, "audit">,
  filter: AuditFilter,
  limit = 100,
  before?: number,
): Promise<readonly AuditRecord[]> {
  return (await audit.archive.list(filter, { limit, bytesMax: 2 ** 30 }, before)).records;
}

/** Whether the records lead to a checkpoint of {@link flushAudit}; absent: the newest one. */
export async function isVerified(
  { audit: { archive } }: Pick<Store, "audit">,
  checkpoint?: string,
): Promise<boolean> {
  const note = checkpoint ?? (await archive.checkpoint()).note;
  const { size, root } = verifiedCheckpoint(note, [SIGNER.key]);
  const entries = await archive.entries(0, size);
  const edge = new TreeEdge();
  edge.append(entries.map((entry) => leafHash(Buffer.from(entry))));
  return edge.size === size && edge.root().equals(root);
}
