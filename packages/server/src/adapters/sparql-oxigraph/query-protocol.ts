import type { Failure } from "../../kernel/worker-protocol.js";
import type { Hash, QueryAnswer, Roots } from "../../state/index.js";

/** A query, as the process is asked it. */
export interface QueryRequest {
  readonly roots: Roots;
  readonly sparql: string;
}

/** What the process is told: a query, or the block that it has asked for. */
export type ToProcess =
  | { readonly kind: "query"; readonly request: QueryRequest }
  | { readonly kind: "block"; readonly bytes: Uint8Array }
  | { readonly kind: "no block" };

/** What the process says: that it is up, that it needs a block, or what its query has come to. */
export type FromProcess =
  | { readonly kind: "ready" }
  | { readonly kind: "need"; readonly hash: Hash }
  | { readonly kind: "answered"; readonly answer: QueryAnswer }
  | { readonly kind: "failed"; readonly failure: Failure };

/** What the process is started with, as JSON in its first argument. */
export interface ProcessSettings {
  /** Name of the package that has the engine. */
  readonly packageName: string;
  /** Quads that are loaded into the engine at most. */
  readonly quadsMax: number;
  /** Datasets up to this many quads are loaded as a whole: the next query finds them there. */
  readonly wholeQuadsMax: number;
  /** Bytes of an answer's JSON at most. */
  readonly answerBytesMax: number;
  /** Resident memory of the process at most, in bytes. */
  readonly memoryBytesMax: number;
  /** Process id of the server: the process does not outlive it. */
  readonly serverPid: number;
}

/** Bytes before each message: the length of what follows (u32 LE), and its kind. */
export const HEAD_BYTES: number = 5;

const KINDS = ["query", "block", "no block", "ready", "need", "answered", "failed"] as const;

/** A message as bytes. */
export function encodeMessage(message: ToProcess | FromProcess): Buffer {
  const payload = payloadOf(message);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes[4] = KINDS.indexOf(message.kind);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** The length of the message whose head this is, without the head. */
export function payloadLength(head: Buffer): number {
  return head.readUInt32LE(0);
}

/** The message with this head and these bytes behind it. */
export function decodeMessage(head: Buffer, payload: Buffer): ToProcess | FromProcess | undefined {
  const kind = KINDS[head[4] ?? KINDS.length];
  // Both ends are of one version: what is in a message of a kind is what that kind has.
  switch (kind) {
    case "query":
      return { kind, request: JSON.parse(payload.toString()) as QueryRequest };
    case "block":
      return { kind, bytes: payload };
    case "need":
      return { kind, hash: payload.toString("hex") as Hash };
    case "answered":
      return { kind, answer: JSON.parse(payload.toString()) as QueryAnswer };
    case "failed":
      return { kind, failure: JSON.parse(payload.toString()) as Failure };
    case "no block":
    case "ready":
      return { kind };
    default:
      return undefined;
  }
}

function payloadOf(message: ToProcess | FromProcess): Uint8Array {
  switch (message.kind) {
    case "query":
      return Buffer.from(JSON.stringify(message.request));
    case "block":
      return message.bytes;
    case "need":
      return Buffer.from(message.hash, "hex");
    case "answered":
      return Buffer.from(JSON.stringify(message.answer));
    case "failed":
      return Buffer.from(JSON.stringify(message.failure));
    case "no block":
    case "ready":
      return Buffer.alloc(0);
  }
}
