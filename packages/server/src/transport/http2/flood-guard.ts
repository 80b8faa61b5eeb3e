import type { Duplex } from "node:stream";
import type { ServerHttp2Stream } from "node:http2";
import {
  HTTP2_OVERHEAD_BYTES_MAX,
  HTTP2_OVERHEAD_BYTES_PER_S,
  HTTP2_RESETS_MAX,
  HTTP2_RESETS_PER_S,
} from "../limits.js";
import { headerBytes } from "./header-bytes.js";

/** Interval for checking connections, in ms. */
const CHECK_MS = 200;
/** Bytes of frames around the headers of a stream: those of HEADERS and of a few others. */
const STREAM_FRAMES_BYTES = 64;
/** Data of a stream that a client may send before the server has read any (RFC 9113 §6.9.2). */
const WINDOW_BYTES = 65_535;
/**
 * Share of the bytes sent to a client that it may send as window updates: one of 13 bytes for the
 * stream and one for the connection, to each short piece of an answer.
 */
const ANSWERED_SHARE = 0.5;

/** A connection, with the property under which its session finds its watch. */
type Watched = Duplex & { [WATCH]?: ConnectionWatch };

const WATCH: unique symbol = Symbol("watch");

/** A quantity that decreases steadily. */
class Leaking {
  #level = 0;
  #atMs = performance.now();
  readonly #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Adds to the level, or takes from it. @returns the level now. */
  add(amount: number): number {
    const nowMs = performance.now();
    const leaked = ((nowMs - this.#atMs) / 1000) * this.#perSecond;
    this.#atMs = nowMs;
    this.#level = Math.max(0, this.#level - leaked + amount);
    return this.#level;
  }
}

/** What one connection has sent beside requests. */
class ConnectionWatch {
  readonly #connection: Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number };
  readonly #overhead = new Leaking(HTTP2_OVERHEAD_BYTES_PER_S);
  readonly #resets = new Leaking(HTTP2_RESETS_PER_S);
  #readBytes = 0;
  #writtenBytes = 0;
  /** Bytes of requests' headers and bodies since the last check. */
  #usefulBytes = 0;

  constructor(connection: Duplex) {
    this.#connection = connection;
  }

  /** Counts a stream's headers and the data that it receives. */
  count(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    this.#usefulBytes += headerBytes(rawHeaders) + STREAM_FRAMES_BYTES;
    const push = stream.push.bind(stream);
    // Node passes each piece of data to this method. A listener for data would begin to read it.
    stream.push = (chunk: Buffer | null) => {
      if (chunk !== null) this.#usefulBytes += chunk.length;
      return push(chunk);
    };
    stream.once("close", () => {
      // The client may send as much before it sees that its request was refused.
      if (!stream.endAfterHeaders && stream.headersSent) this.#usefulBytes += WINDOW_BYTES;
      if (stream.rstCode !== 0 && !stream.headersSent) this.#countReset();
    });
  }

  /** Closes the connection when it has sent too much beside requests. */
  check(): void {
    const { bytesRead = 0, bytesWritten = 0 } = this.#connection;
    const sent = bytesRead - this.#readBytes - this.#usefulBytes;
    const answered = ANSWERED_SHARE * (bytesWritten - this.#writtenBytes);
    this.#readBytes = bytesRead;
    this.#writtenBytes = bytesWritten;
    this.#usefulBytes = 0;
    if (this.#overhead.add(sent - answered) > HTTP2_OVERHEAD_BYTES_MAX) this.#connection.destroy();
  }

  #countReset(): void {
    if (this.#resets.add(1) > HTTP2_RESETS_MAX) this.#connection.destroy();
  }
}

/**
 * Closes HTTP/2 connections that keep the server busy without requests: floods of frames such as
 * PING, SETTINGS, PRIORITY, WINDOW_UPDATE and empty DATA, compressed headers that are refused when
 * they are decompressed, and streams that the client resets as soon as it has opened them. Node tells
 * of only some of these frames, so the guard counts bytes: all that have arrived, without those of
 * requests.
 */
export class FloodGuard implements Disposable {
  readonly #open = new Map<Duplex, ConnectionWatch>();
  readonly #checks: NodeJS.Timeout;

  constructor() {
    this.#checks = setInterval(() => {
      for (const watch of this.#open.values()) watch.check();
    }, CHECK_MS).unref();
  }

  /** Watches a connection from before its first frame. */
  watch(connection: Watched): void {
    const watch = new ConnectionWatch(connection);
    connection[WATCH] = watch;
    this.#open.set(connection, watch);
    connection.once("close", () => this.#open.delete(connection));
  }

  /** Counts a stream that a client has opened. */
  count(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    const { session } = stream;
    if (session !== undefined) watchOf(session)?.count(stream, rawHeaders);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#checks);
  }
}

/** A session's socket has the properties of the connection. */
function watchOf(session: NonNullable<ServerHttp2Stream["session"]>): ConnectionWatch | undefined {
  return (session.socket as Watched)[WATCH];
}
