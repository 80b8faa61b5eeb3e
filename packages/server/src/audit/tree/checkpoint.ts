import { AppError } from "@steward/kernel/errors.js";
import { HASH_BYTES } from "./hashing.js";
import { parseNote, signersOf, type VerifierKey } from "./signed-note.js";

/** The state of a log: its name, its number of records, and the root of their tree. */
export interface Checkpoint {
  /** The name of the log; its signatures bear the same name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** The text of a checkpoint (C2SP tlog-checkpoint), which a signed note signs. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${String(size)}\n${root.toString("base64")}\n`;
}

/** The checkpoint of a text. Lines after the root are extensions, which are ignored. @throws AppError `INVALID_ARGUMENT`. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin, size, base64, end] = text.split("\n");
  const root = Buffer.from(base64 ?? "", "base64");
  const isWhole = end !== undefined && root.toString("base64") === base64;
  if (origin === undefined || origin === "" || !isWhole) throw noCheckpoint();
  if (root.length !== HASH_BYTES || !/^(0|[1-9]\d{0,15})$/.test(size ?? "")) throw noCheckpoint();
  return { origin, size: Number(size), root };
}

/**
 * The checkpoint of a signed note.
 * @throws AppError `INVALID_ARGUMENT` unless one of the keys of the log has signed it.
 */
export function verifiedCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint {
  const signed = parseNote(note);
  const checkpoint = parseCheckpoint(signed.text);
  const ofLog = keys.filter(({ name, type }) => name === checkpoint.origin && type === "ed25519");
  if (signersOf(signed, ofLog).length > 0) return checkpoint;
  const names = signed.signatures.map(({ name, keyId }) => `${name} (key ${keyId})`).join(", ");
  throw new AppError(
    "INVALID_ARGUMENT",
    `None of the given keys of ${checkpoint.origin} has signed the checkpoint; it has signatures of ${names}`,
  );
}

function noCheckpoint(): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    "This is not a checkpoint: its lines are the name of the log, the number of records, and the root in base64",
  );
}
