import { MCP_RECEIVED_BYTES_MAX } from "../limits.js";

/** The error of an answer that exceeds the limit of its connection. */
export class TooManyBytes extends Error {
  override readonly name = "TooManyBytes";

  constructor() {
    super(`the server sent more than ${String(MCP_RECEIVED_BYTES_MAX)} bytes`);
  }
}

/**
 * A `fetch` whose answers have a limit of bytes in common. A stream ends with {@link TooManyBytes}
 * at the limit; what is beyond is not read.
 * @param onExceeded called once at the limit.
 */
export function limitedFetch(onExceeded: (error: TooManyBytes) => void): typeof fetch {
  let left = MCP_RECEIVED_BYTES_MAX;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          left -= chunk.byteLength;
          if (left >= 0) {
            controller.enqueue(chunk);
            return;
          }
          const error = new TooManyBytes();
          onExceeded(error);
          controller.error(error);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
