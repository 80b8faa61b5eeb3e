/** The first bytes of a client (RFC 9113 §3.4). */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Types of frames (RFC 9113 §6). */
export const FRAME = {
  ...{ data: 0, headers: 1, priority: 2, rstStream: 3, settings: 4, ping: 6, goaway: 7 },
  ...{ windowUpdate: 8, continuation: 9 },
} as const;

/** Flags of frames. */
export const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;

/** The header of a frame, as far as the test needs it. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 9;

/** One frame. @param length in its header, when it differs from the payload's. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  length: number = payload.length,
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/**
 * SETTINGS. @param window bytes of an answer that the server may send before a window update (0x4).
 */
export function settings(window?: number): Buffer {
  if (window === undefined) return frame(FRAME.settings, 0, 0);
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(4, 0);
  payload.writeUInt32BE(window, 2);
  return frame(FRAME.settings, 0, 0, payload);
}

/** A block of headers without compression or indexing (RFC 7541 §6.2.2). */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer =>
    Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]);
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]),
  );
}

/** Removes the complete frames from the received bytes. @returns the rest. */
export function takeFrames(bytes: Buffer, take: (found: Frame) => void): Buffer {
  let rest = bytes;
  while (rest.length >= HEAD_BYTES) {
    const end = HEAD_BYTES + rest.readUIntBE(0, 3);
    if (rest.length < end) break;
    const [type, flags] = [rest.readUInt8(3), rest.readUInt8(4)];
    take({ type, flags, stream: rest.readUInt32BE(5), payload: rest.subarray(HEAD_BYTES, end) });
    rest = rest.subarray(end);
  }
  return rest;
}
