import { generateKeyPairSync } from "node:crypto";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { AuditSequencer, CheckpointSigner } from "../../audit/index.js";
import type { AuditSequence } from "../../audit/ports.js";
import {
  leafHash,
  TreeEdge,
  verifiedCheckpoint,
  type VerifierKey,
} from "../../audit/tree/index.js";
import type { Store } from "../store.js";

/** Marks all waiting facts as read by the audit log, without making records of them. */
export async function appendAudit(sequence: AuditSequence): Promise<void> {
  for (;;) {
    const batch = await sequence.take(1000);
    if (batch.facts.length === 0) return;
    const { size } = await sequence.head();
    await sequence.append(batch, { from: size, records: [], tiles: [], checkpoint: "" });
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
