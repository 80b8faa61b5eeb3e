/** One message between server and child. */
export interface Frame {
  /** Text of a JSON object. */
  readonly head: string;
  /** Text that is not parsed; often empty. */
  readonly body: string;
}

/**
 * Bytes before the head: the length of everything that follows them, then the length of the head;
 * both u32 LE.
 */
const PREFIX_BYTES = 8;

/** The bytes of one frame: prefix, head, body, in UTF-8. */
export function encodeFrame(frame: Frame): Buffer {
  const headBytes = Buffer.byteLength(frame.head);
  const bodyBytes = frame.body === "" ? 0 : Buffer.byteLength(frame.body);
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + headBytes + bodyBytes);
  bytes.writeUInt32LE(headBytes + bodyBytes, 0);
  bytes.writeUInt32LE(headBytes, 4);
  bytes.write(frame.head, PREFIX_BYTES);
  if (bodyBytes > 0) bytes.write(frame.body, PREFIX_BYTES + headBytes);
  return bytes;
}

/** The bytes of frames without a body, one after the other. */
export function encodeHeads(heads: readonly string[]): Buffer {
  const size = heads.reduce((sum, head) => sum + PREFIX_BYTES + Buffer.byteLength(head), 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const head of heads) {
    const headBytes = bytes.write(head, at + PREFIX_BYTES);
    bytes.writeUInt32LE(headBytes, at);
    bytes.writeUInt32LE(headBytes, at + 4);
    at += PREFIX_BYTES + headBytes;
  }
  return bytes;
}

/** Splits a stream of bytes into frames. */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /**
   * Number of bytes to wait for: the chunks of a long frame are joined once, not once per chunk.
   */
  #bytesWanted: number = PREFIX_BYTES;

  /** The frames that are complete with this chunk, in order. */
  push(chunk: Buffer): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#bytesWanted) return [];
    return this.#cut(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks));
  }

  #cut(bytes: Buffer): readonly Frame[] {
    const frames: Frame[] = [];
    let start = 0;
    this.#bytesWanted = PREFIX_BYTES;
    while (bytes.length - start >= PREFIX_BYTES) {
      const end = start + PREFIX_BYTES + bytes.readUInt32LE(start);
      if (end > bytes.length) {
        this.#bytesWanted = end - start;
        break;
      }
      const bodyStart = start + PREFIX_BYTES + bytes.readUInt32LE(start + 4);
      frames.push({
        head: bytes.toString("utf8", start + PREFIX_BYTES, bodyStart),
        body: bytes.toString("utf8", bodyStart, end),
      });
      start = end;
    }
    this.#bytes = bytes.length - start;
    this.#chunks = this.#bytes === 0 ? [] : [bytes.subarray(start)];
    return frames;
  }
}
