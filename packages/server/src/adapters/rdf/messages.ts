import type { ErrorCode } from "@steward/protocol";
import { assert } from "../../kernel/assert.js";
import type { FieldViolation } from "../../kernel/errors.js";

/** Bytes before a message: the length of what follows them (u32 LE), and what it is. */
const HEAD_BYTES = 5;

/** What a message is: a document in one of the formats, or what has become of one. */
export const MESSAGE_KINDS = [
  "n-triples",
  "n-quads",
  "turtle",
  "trig",
  "json-ld",
  "read",
  "failed",
] as const;

/** One of {@link MESSAGE_KINDS}. */
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What a message of the kind "failed" holds, as JSON. */
export interface ReadFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldViolation[];
  /** For the log. */
  readonly cause: string;
}

/** A message between the server and the process that reads documents for it. */
export interface Message {
  readonly kind: MessageKind;
  readonly payload: Buffer;
}

/** What goes ahead of a message's bytes. */
export function headOf(kind: MessageKind, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(length, 0);
  head[4] = MESSAGE_KINDS.indexOf(kind);
  return head;
}

/** Puts a message together from the chunks in which it comes. Another one comes only when it has been answered. */
export class MessageReader {
  #head: Buffer = Buffer.alloc(0);
  #payload: Buffer | undefined;
  /** Bytes of the payload that have come. */
  #bytes = 0;

  /** The message, when it is complete with this chunk. */
  push(chunk: Buffer): Message | undefined {
    if (this.#payload === undefined) {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (this.#head.length < HEAD_BYTES) return undefined;
      // A buffer of its own: numbers in it can be looked at where they are.
      this.#payload = Buffer.allocUnsafeSlow(this.#head.readUInt32LE(0));
      this.#bytes = this.#head.copy(this.#payload, 0, HEAD_BYTES);
    } else {
      this.#bytes += chunk.copy(this.#payload, this.#bytes);
    }
    if (this.#bytes < this.#payload.length) return undefined;
    const kind = MESSAGE_KINDS[this.#head[4] ?? 0];
    assert(kind !== undefined, "both ends know the same kinds of messages");
    const payload = this.#payload;
    this.#head = Buffer.alloc(0);
    this.#payload = undefined;
    return { kind, payload };
  }
}
