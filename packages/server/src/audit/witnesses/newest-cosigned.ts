import {
  cosignedAt,
  parseNote,
  signersOf,
  verifiedCheckpoint,
  type Checkpoint,
  type VerifierKey,
} from "../tree/index.js";

/** The newest checkpoint that a witness has cosigned, of those that an auditor has. */
export interface VerifiedCosignature {
  readonly witness: VerifierKey;
  readonly checkpoint: Checkpoint;
  /** By the clock of the witness, in seconds since the epoch. */
  readonly atSeconds: number;
}

/**
 * For each witness the newest of some checkpoints that it has cosigned; a witness that has cosigned
 * none is left out.
 * @param notes signed notes; each must be signed by one of the keys of the log.
 * @throws AppError `INVALID_ARGUMENT` when one is not, or when a cosignature is wrong.
 */
export function newestCosigned(
  notes: readonly string[],
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[],
): readonly VerifiedCosignature[] {
  const cosigned = notes.flatMap((note) => {
    const checkpoint = verifiedCheckpoint(note, keys);
    const signed = parseNote(note);
    return signersOf(signed, witnesses).map((witness) => {
      const own = signed.signatures.find(
        ({ name, keyId }) => name === witness.name && keyId === witness.keyId,
      );
      return { witness, checkpoint, atSeconds: own === undefined ? 0 : cosignedAt(own) };
    });
  });
  return witnesses.flatMap((witness) => {
    const own = cosigned.filter((each) => each.witness === witness);
    return own.toSorted((one, other) => other.checkpoint.size - one.checkpoint.size).slice(0, 1);
  });
}

/** Where an export has the newest checkpoint that a witness has cosigned. */
export function witnessedPath({ keyId }: VerifierKey): string {
  return `witnessed/${keyId}`;
}
