import { AppError } from "@steward/kernel/errors.js";
import { noteText, parseNote, signersOf, type VerifierKey } from "../tree/index.js";
import type { WitnessAnswer } from "./ports.js";

/** A request to cosign a checkpoint. */
export interface AddCheckpoint {
  /** The size of the checkpoint that the witness has cosigned last; 0 when it has none. */
  readonly oldSize: number;
  /** The consistency proof from that size. */
  readonly proof: readonly Buffer[];
  /** The checkpoint, signed by the log. */
  readonly note: string;
}

/** The body of the request (C2SP tlog-witness, add-checkpoint). */
export function addCheckpointBody({ oldSize, proof, note }: AddCheckpoint): string {
  const hashes = proof.map((hash) => `${hash.toString("base64")}\n`);
  return `old ${String(oldSize)}\n${hashes.join("")}\n${note}`;
}

/** What an answer means: the checkpoint with the cosignature, or the size that the witness has. */
export type CosignOutcome =
  | { readonly kind: "cosigned"; readonly note: string }
  | { readonly kind: "conflict"; readonly size: number };

/**
 * Reads an answer.
 * @throws Error with what the operator can do, when the witness has refused or the cosignature is
 * wrong.
 */
export function cosignOutcome(
  { status, contentType, body }: WitnessAnswer,
  note: string,
  key: VerifierKey,
): CosignOutcome {
  if (status === 200) return { kind: "cosigned", note: cosignedNote(note, body, key) };
  if (status === 409 && contentType.startsWith("text/x.tlog.size")) {
    const [, size] = /^(0|[1-9]\d{0,15})\n$/.exec(body) ?? [];
    if (size !== undefined) return { kind: "conflict", size: Number(size) };
  }
  throw new Error(REFUSALS[status] ?? `the witness answered ${String(status)}`);
}

/**
 * The statuses of C2SP tlog-witness. A witness that refuses the proof, or has another root for the
 * same size, has seen another log than this one.
 */
const REFUSALS: Readonly<Record<number, string>> = {
  403: "the witness does not know the key of this log: give its operator the output of `steward audit key`",
  404: "the witness does not know this log: give its operator the output of `steward audit key`",
  409: "the witness has cosigned another log of the same name and size: this log was rewritten, or two logs have this name",
  422: "the witness refuses the proof that this log continues the one that it has cosigned: this log was rewritten, or two logs have this name",
};

/** The checkpoint with the signatures that it had and the cosignatures of one key. Those of other keys are left out. */
function cosignedNote(note: string, lines: string, key: VerifierKey): string {
  const { text, signatures } = parseNote(note);
  const { signatures: added } = parseNote(`${text}\n${lines}`);
  const own = added.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  if (signersOf({ text, signatures: own }, [key]).length === 0) {
    const what = `the witness's answer has no signature of its key ${key.name} (${key.keyId})`;
    throw new AppError("INVALID_ARGUMENT", what);
  }
  return noteText({ text, signatures: [...signatures, ...own.slice(0, 1)] });
}
