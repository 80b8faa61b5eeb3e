import { Readable } from "node:stream";

/** How long a client waits before it opens a stream that broke off again. */
const RECONNECT_MS = 1_000;

/** What an {@link EventStream} writes, and how. */
export interface EventStreamOptions<Event> {
  /** Page after page; the next one is asked for when the last one has been taken. */
  readonly pages: AsyncIterable<readonly Event[]>;
  /** One event, with its blank line. */
  readonly frameOf: (event: Event) => string;
  readonly heartbeatMs: number;
  /** Aborted when the stream closes, so that `pages` waits no longer. */
  readonly closed: AbortController;
}

/**
 * Server-sent events (HTML Standard §9.2), read only as fast as the other side takes them: at most
 * one page waits here. Silence is broken by comments, so that nobody between takes the connection
 * for a dead one.
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
    // At once, so that the client learns that the stream is open before anything happens.
    this.push(`retry: ${String(RECONNECT_MS)}\n\n`);
  }

  /** Ends the stream cleanly, whatever may still come. */
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
      (error: unknown) => this.destroy(errorOf(error)),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.end();
    // What is not waiting inside, for a reader that was behind, does not hear of the signal.
    Promise.resolve(this.#pages.return?.()).then(
      () => done(error),
      (cleanup: unknown) => done(error ?? errorOf(cleanup)),
    );
  }

  #beat(): void {
    // A reader that is behind has enough to read.
    if (this.readableLength === 0) this.push(": alive\n\n");
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
