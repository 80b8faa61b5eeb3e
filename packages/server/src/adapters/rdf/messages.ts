import { assert } from "../../kernel/assert.js";

/** Bytes before a message: the length of what follows them (u32 LE), and what it is. */
const HEAD_BYTES = 5;

/** What a message is: the beginning of a document in one of the formats, its parts and end, or what became of it. */
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

/** What a message is. */
export type MessageKind = (typeof MESSAGE_KINDS)[number];

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

/** Puts messages together from the chunks in which they come. */
export class MessageReader {
  #head: Buffer = Buffer.alloc(0);
  #payload: Buffer | undefined;
  /** Bytes of the payload that have come. */
  #bytes = 0;

  /** The messages that are complete with this chunk. */
  *push(chunk: Buffer): Generator<Message> {
    let rest = chunk;
    do {
      if (this.#payload === undefined) {
        const start = Buffer.concat([this.#head, rest]);
        this.#head = start.subarray(0, HEAD_BYTES);
        if (start.length < HEAD_BYTES) return;
        rest = start.subarray(HEAD_BYTES);
        // A buffer of its own: numbers in it can be looked at where they are.
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
