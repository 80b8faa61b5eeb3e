import { constants, type ServerHttp2Stream } from "node:http2";
import { SLOWEST_LINK_BYTES_PER_S } from "../rest/unread-answers.js";

/** How often streams are looked at, in ms. */
const CHECK_MS = 1000;

/** What waits to be taken, and since when nothing was. */
interface Waiting {
  /** `NaN`: what waited has been taken since. */
  bytes: number;
  readonly sinceMs: number;
}

/**
 * Resets streams whose other end takes nothing of an answer, which waits in memory for as long as the client leaves its
 * window closed, whatever else it sends meanwhile, pings too. Node's own time-out of streams takes whatever is sent over the
 * connection for progress. A stream that has nothing to send may wait for its answer as long as that takes.
 */
export class UnreadStreams {
  readonly #unreadMs: number;
  readonly #open = new Map<ServerHttp2Stream, Waiting | undefined>();
  readonly #checks: NodeJS.Timeout;

  /** @param unreadMs How long the other end may take nothing; longer by what a slow link needs for what waits. */
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
      // After the end even an answer without a body waits, for the frame that ends the stream.
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
    // As much may wait as before, but not the same, when the sender keeps the buffer full.
    stream.once("drain", () => (waiting.bytes = NaN));
  }
}
