import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Bytes in a second that the slowest link takes that is waited for. */
export const SLOWEST_LINK_BYTES_PER_S: number = 64 * 1024;

/** How long connections are waited for. */
export interface UnreadPatience {
  /** How long the other end may take nothing, in ms. */
  readonly unreadMs: number;
  /** How often that is checked, in ms. */
  readonly checkMs: number;
  /** What a link takes in a second at least; absent: 64 KiB. */
  readonly bytesPerS?: number;
}

/** How much of its answers a connection has taken, and when it last took some. */
interface Taken {
  bytes: number;
  atMs: number;
}

/**
 * Closes connections whose other end takes nothing of an answer, which waits in memory, whatever else it sends meanwhile.
 * A piece of an answer is seen to be taken as a whole, so that a large one has as long as a slow link needs for it.
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
