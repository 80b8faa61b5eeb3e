import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { AppError } from "@steward/kernel/errors.js";
import {
  checkpointText,
  noteText,
  parseNote,
  rawKey,
  verifierKey,
  verifierKeyText,
  type Checkpoint,
  type VerifierKey,
} from "./tree/index.js";

/** Signs the checkpoints of one log with its present key. */
export class CheckpointSigner {
  readonly #privateKey: KeyObject;
  readonly key: VerifierKey;

  /**
   * @param origin the name of the log, such as `steward.example.com/audit`.
   * @param pem an Ed25519 private key, PKCS #8.
   * @throws AppError `INVALID_ARGUMENT` when it is none.
   */
  constructor(origin: string, pem: string) {
    this.#privateKey = privateKeyOf(pem);
    this.key = verifierKey(origin, "ed25519", rawKey(createPublicKey(this.#privateKey)));
  }

  /** The name of the log. */
  get origin(): string {
    return this.key.name;
  }

  /** The public key in the text form that verifiers take. */
  get keyText(): string {
    return verifierKeyText(this.key);
  }

  /** Whether the key has signed a note, under whatever name of the log. */
  hasSigned(note: string): boolean {
    const { text, signatures } = parseNote(note);
    const publicKey = createPublicKey(this.#privateKey);
    return signatures.some(({ signature }) =>
      verify(null, Buffer.from(text), publicKey, signature),
    );
  }

  /** The signed note of a checkpoint. */
  signedNote(checkpoint: Omit<Checkpoint, "origin">): string {
    const { name, keyId } = this.key;
    const text = checkpointText({ ...checkpoint, origin: name });
    const signature = sign(null, Buffer.from(text), this.#privateKey);
    return noteText({ text, signatures: [{ name, keyId, signature }] });
  }
}

function privateKeyOf(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The message says what is expected; the error of the parser may quote the key.
  }
  throw new AppError(
    "INVALID_ARGUMENT",
    "The key of the audit log is not an Ed25519 private key in PEM (PKCS #8): make one with `openssl genpkey -algorithm ed25519`",
  );
}
