import type { Failure } from "@steward/kernel/concurrency/worker-protocol.js";
import type { Hash, Roots } from "../index.js";
import type { JsonBindings, JsonQuad, QueryAnswer } from "../ports.js";

/** The server's request to evaluate a query: the roots of its dataset, and the SPARQL text. */
export interface QueryRequest {
  readonly roots: Roots;
  readonly sparql: string;
}

/** Messages to the process: a query, or a requested block. */
export type ToProcess =
  | { readonly kind: "query"; readonly request: QueryRequest }
  | { readonly kind: "block"; readonly bytes: Uint8Array }
  | { readonly kind: "no block" };

/** The solutions or the quads of an answer. */
export type AnswerRows = readonly JsonBindings[] | readonly JsonQuad[];

/**
 * Messages from the process: it is ready, it needs a block, its query has some rows, or a result, to which the rows
 * before it belong.
 */
export type FromProcess =
  | { readonly kind: "ready" }
  | { readonly kind: "need"; readonly hash: Hash }
  | { readonly kind: "rows"; readonly rows: AnswerRows }
  | { readonly kind: "answered"; readonly answer: QueryAnswer }
  | { readonly kind: "failed"; readonly failure: Failure };

/** The process's settings, passed as JSON in its first argument. */
export interface ProcessSettings {
  /** The package that contains the engine. */
  readonly packageName: string;
  /** Limit of quads loaded into the engine. */
  readonly quadsMax: number;
  /** Datasets of up to this many quads are loaded as a whole, for the benefit of later queries. */
  readonly wholeQuadsMax: number;
  /** Limit of a result's JSON, in bytes. */
  readonly answerBytesMax: number;
  /** Limit of the process's resident memory, in bytes. */
  readonly memoryBytesMax: number;
  /** Process id of the server; the process ends when the server does. */
  readonly serverPid: number;
}

/** Size of a message's header: the length of the payload (u32 LE), and its kind. */
export const HEAD_BYTES: number = 5;

const KINDS = [
  "query",
  "block",
  "no block",
  "ready",
  "need",
  "rows",
  "answered",
  "failed",
] as const;

/** A message as bytes. */
export function encodeMessage(message: ToProcess | FromProcess): Buffer {
  const payload = payloadOf(message);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes[4] = KINDS.indexOf(message.kind);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** The length of a message's payload, from its header. */
export function payloadLength(head: Buffer): number {
  return head.readUInt32LE(0);
}

/** Decodes a message from its header and payload. */
export function decodeMessage(head: Buffer, payload: Buffer): ToProcess | FromProcess | undefined {
  const kind = KINDS[head[4] ?? KINDS.length];
  // Both sides have the same version, so a kind determines the payload's type.
  switch (kind) {
    case "query":
      return { kind, request: JSON.parse(payload.toString()) as QueryRequest };
    case "block":
      return { kind, bytes: payload };
    case "need":
      return { kind, hash: payload.toString("hex") as Hash };
    case "rows":
      return { kind, rows: JSON.parse(payload.toString()) as AnswerRows };
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
    case "rows":
      return Buffer.from(JSON.stringify(message.rows));
    case "answered":
      return Buffer.from(JSON.stringify(message.answer));
    case "failed":
      return Buffer.from(JSON.stringify(message.failure));
    case "no block":
    case "ready":
      return Buffer.alloc(0);
  }
}
