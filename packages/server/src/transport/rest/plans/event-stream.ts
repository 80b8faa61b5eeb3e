import { Readable } from "node:stream";

/** How long a client waits before it reopens a broken stream, in ms. */
const RECONNECT_MS = 1_000;

/** Content and format of an {@link EventStream}. */
export interface EventStreamOptions<Event> {
  /** Page after page; the next one is requested after the previous one was read. */
  readonly pages: AsyncIterable<readonly Event[]>;
  /** One event in its wire format, with its blank line. */
  readonly frameOf: (event: Event) => string;
  /** The last frame, when the caller is refused further events; `undefined` for other errors, which break the stream. */
  readonly refusalOf: (error: unknown) => string | undefined;
  readonly heartbeatMs: number;
  /** Aborted when the stream closes, so that `pages` stops waiting. */
  readonly closed: AbortController;
}

/**
 * Server-sent events (HTML Standard §9.2), produced only as fast as the client reads them: at most
 * one page waits in memory. Comments are sent during silence, so that no proxy considers the
 * connection dead.
 */
export class EventStream<Event> extends Readable {
  readonly #pages: AsyncIterator<readonly Event[]>;
  readonly #options: EventStreamOptions<Event>;
  readonly #heartbeat: NodeJS.Timeout;
  #isReading = false;

  constructor(options: EventStreamOptions<Event>) {
    super({ highWaterMark: 1 });
    this.#options = options;
    this.#pages = options.pages[Symbol.asyncIterator]();
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs).unref();
    // Sent at once, so that the client learns that the stream is open before the first event.
    this.push(`retry: ${String(RECONNECT_MS)}\n\n`);
  }

  /** Ends the stream cleanly, even if events are still to come. */
  end(): void {
    this.#options.closed.abort();
  }

  override _read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#pages.next().then(
      (next) => {
        this.#isReading = false;
        if (this.destroyed) return;
        this.push(next.done === true ? null : next.value.map(this.#options.frameOf).join(""));
      },
      (error: unknown) => {
        const refusal = this.#options.refusalOf(error);
        if (refusal === undefined) {
          this.destroy(errorOf(error));
          return;
        }
        this.push(refusal);
        this.push(null);
      },
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.end();
    // A generator that is not waiting, because the reader is slow, does not notice the signal.
    Promise.resolve(this.#pages.return?.()).then(
      () => done(error),
      (cleanup: unknown) => done(error ?? errorOf(cleanup)),
    );
  }

  #beat(): void {
    // A slow reader still has data to read.
    if (this.readableLength === 0) this.push(": alive\n\n");
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
