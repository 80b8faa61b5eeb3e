import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";
import { AppError } from "@steward/kernel/errors.js";

/**
 * Signed notes (C2SP signed-note): a text, an empty line, and one line for each signature. A
 * signature names its signer and begins with four bytes that identify the signer's key.
 */
export interface SignedNote {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** The first four bytes of the key's hash, in hexadecimal. */
  readonly keyId: string;
  readonly signature: Buffer;
}

/** The types of signatures: that of a log, and the timestamped one of a witness (C2SP tlog-cosignature). */
export type SignatureType = "ed25519" | "cosignature/v1";

/** A public key that verifies the signatures of one signer. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: string;
  readonly type: SignatureType;
  readonly publicKey: KeyObject;
}

/** The byte of each type in a key's hash and in its text form. */
const TYPE_BYTES: Readonly<Record<SignatureType, number>> = { ed25519: 1, "cosignature/v1": 4 };

/** Bytes of a note that are read at most; a note with more is refused. */
const NOTE_BYTES_MAX = 64 * 1024;

/** The note in its text form. */
export function noteText({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    const bytes = Buffer.concat([Buffer.from(keyId, "hex"), signature]);
    return `— ${name} ${bytes.toString("base64")}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** The note of a text form. @throws AppError `INVALID_ARGUMENT` when it is malformed. */
export function parseNote(note: string): SignedNote {
  const split = note.lastIndexOf("\n\n");
  const isWhole = Buffer.byteLength(note) <= NOTE_BYTES_MAX && note.endsWith("\n");
  if (split < 0 || !isWhole) throw noNote();
  const lines = note.slice(split + 2, -1).split("\n");
  return { text: note.slice(0, split + 1), signatures: lines.map(signatureOf) };
}

/** A verifier key of the raw bytes of an Ed25519 public key. */
export function verifierKey(name: string, type: SignatureType, raw: Uint8Array): VerifierKey {
  const typed = Buffer.concat([Uint8Array.of(TYPE_BYTES[type]), raw]);
  const hash = createHash("sha256").update(`${name}\n`).update(typed).digest();
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(raw).toString("base64url") };
  return {
    name,
    type,
    keyId: hash.toString("hex", 0, 4),
    publicKey: createPublicKey({ key: jwk, format: "jwk" }),
  };
}

/** The text form of a key, `<name>+<key id>+<base64>`, as signed notes define it. */
export function verifierKeyText({ name, keyId, type, publicKey }: VerifierKey): string {
  const typed = Buffer.concat([Uint8Array.of(TYPE_BYTES[type]), rawKey(publicKey)]);
  return `${name}+${keyId}+${typed.toString("base64")}`;
}

/** The key of a text form. @throws AppError `INVALID_ARGUMENT` when it is malformed. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, keyId, base64] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (name === undefined || base64 === undefined) throw noKey(text);
  const typed = Buffer.from(base64, "base64");
  const type = typed[0] === 1 ? "ed25519" : typed[0] === 4 ? "cosignature/v1" : undefined;
  if (type === undefined || typed.length !== 33) throw noKey(text);
  const key = verifierKey(name, type, typed.subarray(1));
  if (key.keyId !== keyId) throw noKey(text);
  return key;
}

/** The raw 32 bytes of an Ed25519 public key. */
export function rawKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}

/** The keys that have signed a note. A signature that names a known key and is wrong makes it malformed. */
export function signersOf(note: SignedNote, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  const signers: VerifierKey[] = [];
  for (const { name, keyId, signature } of note.signatures) {
    const key = keys.find((each) => each.name === name && each.keyId === keyId);
    if (key === undefined) continue;
    if (!isSignedBy(note.text, key, signature)) {
      const what = `The signature of ${name} (key ${keyId}) does not match the text that it signs`;
      throw new AppError("INVALID_ARGUMENT", what);
    }
    signers.push(key);
  }
  return signers;
}

function isSignedBy(text: string, { type, publicKey }: VerifierKey, signature: Buffer): boolean {
  if (type === "ed25519") return verify(null, Buffer.from(text), publicKey, signature);
  if (signature.length !== 72) return false;
  const time = signature.readBigUInt64BE();
  if (time > TIME_MAX) return false;
  const message = `cosignature/v1\ntime ${String(time)}\n${text}`;
  return verify(null, Buffer.from(message), publicKey, signature.subarray(8));
}

/** Seconds since the epoch. */
const TIME_MAX = 2n ** 63n - 1n;

/** When a witness has cosigned, in seconds since the epoch. */
export function cosignedAt({ signature }: NoteSignature): number {
  return Number(signature.readBigUInt64BE());
}

function signatureOf(line: string): NoteSignature {
  const [, name, base64] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const bytes = Buffer.from(base64 ?? "", "base64");
  if (name === undefined || bytes.length < 5) throw noNote();
  return { name, keyId: bytes.toString("hex", 0, 4), signature: bytes.subarray(4) };
}

function noNote(): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    "This is not a signed note: it must be a text, an empty line, and lines of signatures (C2SP signed-note)",
  );
}

function noKey(text: string): AppError {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return new AppError(
    "INVALID_ARGUMENT",
    `${shown} is not a verifier key: it must be <name>+<key id>+<base64>, as \`steward audit key\` prints it`,
  );
}
