import { constants, type ServerHttp2Stream } from "node:http2";
import { SLOWEST_LINK_BYTES_PER_S } from "../rest/unread-answers.js";

/** Interval for checking streams, in ms. */
const CHECK_MS = 1000;

/** The unsent bytes of a stream, and since when none have been sent. */
interface Waiting {
  /** `NaN`: some bytes have been sent since. */
  bytes: number;
  readonly sinceMs: number;
}

/**
 * Resets streams whose client does not read its answer. Such an answer stays in memory as long as
 * the client keeps its window closed, even if the client sends other frames such as pings. Node's
 * own stream timeout counts any traffic on the connection as progress. A stream without data to
 * send may wait for its answer for any time.
 */
export class UnreadStreams {
  readonly #unreadMs: number;
  readonly #open = new Map<ServerHttp2Stream, Waiting | undefined>();
  readonly #checks: NodeJS.Timeout;

  /**
   * @param unreadMs How long the client may read nothing, plus the time that a slow link needs for
   * the waiting bytes.
   */
  constructor(unreadMs: number) {
    this.#unreadMs = unreadMs;
    this.#checks = setInterval(() => this.#check(), Math.min(CHECK_MS, unreadMs)).unref();
  }

  watch(stream: ServerHttp2Stream): void {
    this.#open.set(stream, undefined);
    stream.once("close", () => this.#open.delete(stream));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#checks);
  }

  #check(): void {
    const nowMs = performance.now();
    for (const [stream, waiting] of this.#open) {
      const bytes = stream.writableLength;
      // Even an answer without a body is unsent until the frame that ends the stream is sent.
      const hasUnsent = bytes > 0 || (stream.writableEnded && !stream.writableFinished);
      if (!hasUnsent) {
        this.#open.set(stream, undefined);
      } else if (waiting?.bytes !== bytes) {
        this.#wait(stream, { bytes, sinceMs: nowMs });
      } else if (
        nowMs - waiting.sinceMs >
        this.#unreadMs + (bytes / SLOWEST_LINK_BYTES_PER_S) * 1000
      ) {
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      }
    }
  }

  #wait(stream: ServerHttp2Stream, waiting: Waiting): void {
    this.#open.set(stream, waiting);
    // The number of waiting bytes may be unchanged although bytes were sent, when the sender keeps
    // the buffer full.
    stream.once("drain", () => (waiting.bytes = NaN));
  }
}
