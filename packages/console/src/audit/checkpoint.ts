import { HASH_BYTES, sha256, isEqual, type TreeState } from "./merkle.js";

/** A checkpoint (C2SP tlog-checkpoint) in a signed note (C2SP signed-note). */
export interface Checkpoint extends TreeState {
  /** The name of the log. */
  readonly origin: string;
  /** What the signatures sign. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

interface NoteSignature {
  readonly name: string;
  /** Four bytes that identify the key. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** A log's public key. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: Uint8Array;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
}

/** The byte that marks an Ed25519 key of a log. */
const ED25519 = 1;
const KEY_ID_BYTES = 4;

/** The checkpoint of a signed note; `undefined` for any other text. A last newline that was lost in copying does not matter. */
export function checkpointOf(note: string): Checkpoint | undefined {
  const whole = `${note.replaceAll("\r\n", "\n").trimEnd()}\n`;
  const split = whole.lastIndexOf("\n\n");
  if (split < 0) return undefined;
  const text = whole.slice(0, split + 1);
  const [origin = "", size = "", root64 = ""] = text.split("\n");
  const root = bytesOf(root64);
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size) || root?.length !== HASH_BYTES) {
    return undefined;
  }
  const signatures = whole
    .slice(split + 2, -1)
    .split("\n")
    .map(signatureOf);
  const isWhole = signatures.every((signature) => signature !== undefined);
  return isWhole ? { origin, size: Number(size), root, text, signatures } : undefined;
}

/** The key of a text `<name>+<key id>+<base64>`; `undefined` for any other text. */
export async function verifierKeyOf(text: string): Promise<VerifierKey | undefined> {
  const [, name = "", id = "", base64 = ""] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const typed = bytesOf(base64);
  if (name === "" || typed?.length !== HASH_BYTES + 1 || typed[0] !== ED25519) return undefined;
  const hash = await sha256(new TextEncoder().encode(`${name}\n`), typed);
  const keyId = hash.slice(0, KEY_ID_BYTES);
  const isOwnId = [...keyId].map((byte) => byte.toString(16).padStart(2, "0")).join("") === id;
  return isOwnId ? { name, keyId, publicKey: typed.slice(1) } : undefined;
}

/** Whether a key has signed a checkpoint; `undefined` when the browser has no Ed25519. */
export async function isSignedBy(
  { origin, text, signatures }: Checkpoint,
  { name, keyId, publicKey }: VerifierKey,
): Promise<boolean | undefined> {
  if (name !== origin) return false;
  const own = signatures.find((each) => each.name === name && isEqual(each.keyId, keyId));
  if (own === undefined) return false;
  try {
    const key = await crypto.subtle.importKey("raw", copied(publicKey), "Ed25519", false, [
      "verify",
    ]);
    const signed = new TextEncoder().encode(text);
    return await crypto.subtle.verify("Ed25519", key, copied(own.signature), signed);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return undefined;
    throw error;
  }
}

/** The bytes of a text in base64; `undefined` for any other text. */
export function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function signatureOf(line: string): NoteSignature | undefined {
  const [, name = "", base64 = ""] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const bytes = bytesOf(base64);
  if (name === "" || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) };
}

/** Web Crypto takes only views of buffers that are not shared. */
function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
