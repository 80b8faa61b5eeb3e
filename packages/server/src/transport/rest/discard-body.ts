import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { REQUEST_BYTES_MAX } from "../limits.js";

/** Maximum number of bytes of a refused body that are read. */
const DISCARDED_BYTES_MAX = 16 * REQUEST_BYTES_MAX;
/** Time limit for reading them, in ms. */
const DISCARD_MS_MAX = 2_000;

/**
 * Reads and discards the rest of a refused body. Many clients read no answer before they have sent
 * the whole body: closing the connection meanwhile would reset it, and the answer would be lost
 * (RFC 9112 §9.6). Resolves when the body has ended, or a limit is reached; never rejects.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES_MAX) stop();
  };
  request.on("data", count).once("end", stop).once("close", stop).resume();
  await delay(DISCARD_MS_MAX, undefined, { signal: enough.signal }).catch(() => undefined);
  request.off("data", count).off("end", stop).off("close", stop);
}
