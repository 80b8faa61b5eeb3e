import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Bandwidth of the slowest supported link, in bytes per second. */
export const SLOWEST_LINK_BYTES_PER_S: number = 64 * 1024;

/** Time limits for connections. */
export interface UnreadPatience {
  /** How long the client may read nothing, in ms. */
  readonly unreadMs: number;
  /** Interval of the check for connections that do not read their answers, in ms. */
  readonly checkMs: number;
  /** Minimum bandwidth of a link, in bytes per second; absent: 64 KiB. */
  readonly bytesPerS?: number;
}

/** How much of its answers a connection has read, and when it last read some. */
interface Taken {
  bytes: number;
  atMs: number;
}

/**
 * Closes connections whose client does not read its answer, which stays in memory, even if the
 * client sends other data. Progress is only visible for whole pieces of an answer, so a large piece
 * gets the time that a slow link needs for it.
 */
export class UnreadAnswers implements Disposable {
  readonly #patience: UnreadPatience;
  readonly #taken = new Map<Socket, Taken>();
  readonly #checks: NodeJS.Timeout;

  constructor(server: Server, patience: UnreadPatience) {
    this.#patience = patience;
    server.on("connection", (socket: Socket) => {
      this.#taken.set(socket, { bytes: 0, atMs: performance.now() });
      socket.once("close", () => this.#taken.delete(socket));
    });
    this.#checks = setInterval(() => this.#check(), patience.checkMs).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#checks);
  }

  #check(): void {
    const { unreadMs, bytesPerS = SLOWEST_LINK_BYTES_PER_S } = this.#patience;
    const nowMs = performance.now();
    for (const [socket, taken] of this.#taken) {
      const waiting = socket.writableLength;
      const bytes = socket.bytesWritten - waiting;
      if (waiting === 0 || bytes !== taken.bytes) {
        taken.bytes = bytes;
        taken.atMs = nowMs;
        continue;
      }
      const patienceMs = unreadMs + (waiting / bytesPerS) * 1000;
      if (nowMs - taken.atMs > patienceMs) socket.destroy();
    }
  }
}
