import type { ProvenAuditRecord } from "@steward/client";
import { auditTexts } from "../texts/audit.js";
import { bytesOf, checkpointOf, isSignedBy, verifierKeyOf, type Checkpoint } from "./checkpoint.js";
import { isConsistent, isEqual, leafHash, rootOfInclusion } from "./merkle.js";
import { hasDigestOf } from "./record-entry.js";

/** One thing that was verified, or could not be. */
export interface Finding {
  readonly state: "ok" | "bad" | "unchecked";
  readonly text: string;
}

/** What a reader has from elsewhere; empty texts for what the reader does not have. */
export interface Trusted {
  /** A public key, as `steward audit key` prints it. */
  readonly key: string;
  /** A checkpoint that was kept. */
  readonly kept: string;
}

/** Asks the server for the consistency proof between two sizes of the log. */
export type AskConsistency = (older: number, newer: number) => Promise<readonly string[]>;

const { steps } = auditTexts;

/** Verifies a record in this browser: that the log contains it, who signed the log, and that it was not written anew. */
export async function verifyRecord(
  record: ProvenAuditRecord,
  trusted: Trusted,
  ask: AskConsistency,
): Promise<readonly Finding[]> {
  const checkpoint = checkpointOf(record.checkpoint);
  if (checkpoint === undefined) return [bad(steps.noInclusion)];
  return [
    await inclusionOf(record, checkpoint),
    ...(await valuesOf(record)),
    await signatureOf(checkpoint, trusted.key),
    await keptOf(checkpoint, trusted.kept, ask),
  ];
}

async function inclusionOf(
  record: ProvenAuditRecord,
  { size, root }: Checkpoint,
): Promise<Finding> {
  const { index, entry } = record;
  const proof = hashesOf(record.proof);
  const leaf = await leafHash(new TextEncoder().encode(entry));
  const reached = proof && (await rootOfInclusion(leaf, { index, size, proof }));
  return reached !== undefined && isEqual(reached, root)
    ? ok(steps.inclusion(index, size))
    : bad(steps.noInclusion);
}

async function valuesOf({ entry, salt, values }: ProvenAuditRecord): Promise<readonly Finding[]> {
  if (salt === undefined || values === undefined) return [];
  return [(await hasDigestOf(entry, salt, values)) ? ok(steps.values) : bad(steps.noValues)];
}

async function signatureOf(checkpoint: Checkpoint, text: string): Promise<Finding> {
  if (text.trim() === "") return unchecked(steps.withoutKey);
  const key = await verifierKeyOf(text);
  if (key === undefined) return bad(steps.badKey);
  const isSigned = await isSignedBy(checkpoint, key);
  if (isSigned === undefined) return unchecked(steps.noEd25519);
  return isSigned ? ok(steps.signed) : bad(steps.notSigned);
}

async function keptOf(now: Checkpoint, text: string, ask: AskConsistency): Promise<Finding> {
  if (text.trim() === "") return unchecked(steps.withoutKept);
  const kept = checkpointOf(text);
  if (kept === undefined) return bad(steps.badKept);
  if (kept.origin !== now.origin) return bad(steps.otherLog(kept.origin));
  if (kept.size > now.size) return bad(steps.keptLater(kept.size, now.size));
  const isTrivial = kept.size === 0 || kept.size === now.size;
  const proof = isTrivial ? [] : hashesOf(await ask(kept.size, now.size));
  return proof !== undefined && (await isConsistent(kept, now, proof))
    ? ok(steps.kept(kept.size))
    : bad(steps.notKept);
}

function hashesOf(proof: readonly string[]): readonly Uint8Array[] | undefined {
  const hashes = proof.map(bytesOf);
  return hashes.every((hash) => hash !== undefined) ? hashes : undefined;
}

function ok(text: string): Finding {
  return { state: "ok", text };
}

function bad(text: string): Finding {
  return { state: "bad", text };
}

function unchecked(text: string): Finding {
  return { state: "unchecked", text };
}
