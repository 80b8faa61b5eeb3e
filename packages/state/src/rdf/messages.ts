import { assert } from "@steward/kernel/assert.js";

/** Size of a message's header: the payload's length (u32 LE), and the kind. */
const HEAD_BYTES = 5;

/**
 * Kinds of messages: the beginning of a document in one of the formats, its parts, its end, and the
 * result.
 */
const MESSAGE_KINDS = [
  "n-triples",
  "n-quads",
  "turtle",
  "trig",
  "json-ld",
  "part",
  "end",
  "read",
  "failed",
] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A message between the server and a process that parses documents. */
export interface Message {
  readonly kind: MessageKind;
  readonly payload: Buffer;
}

/** The header of a message. */
export function headOf(kind: MessageKind, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(length, 0);
  head[4] = MESSAGE_KINDS.indexOf(kind);
  return head;
}

/** Assembles messages from chunks. */
export class MessageReader {
  #head: Buffer = Buffer.alloc(0);
  #payload: Buffer | undefined;
  /** Received bytes of the payload. */
  #bytes = 0;

  /** The messages that this chunk completes. */
  *push(chunk: Buffer): Generator<Message> {
    let rest = chunk;
    do {
      if (this.#payload === undefined) {
        const start = Buffer.concat([this.#head, rest]);
        this.#head = start.subarray(0, HEAD_BYTES);
        if (start.length < HEAD_BYTES) return;
        rest = start.subarray(HEAD_BYTES);
        // An ArrayBuffer of its own, so that numbers in it can be read in place.
        this.#payload = Buffer.allocUnsafeSlow(this.#head.readUInt32LE(0));
        this.#bytes = 0;
      }
      const taken = rest.copy(this.#payload, this.#bytes);
      rest = rest.subarray(taken);
      this.#bytes += taken;
      if (this.#bytes < this.#payload.length) return;
      yield this.#finished(this.#payload);
    } while (rest.length > 0);
  }

  #finished(payload: Buffer): Message {
    const kind = MESSAGE_KINDS[this.#head[4] ?? 0];
    assert(kind !== undefined, "both ends know the same kinds of messages");
    this.#head = Buffer.alloc(0);
    this.#payload = undefined;
    return { kind, payload };
  }
}
