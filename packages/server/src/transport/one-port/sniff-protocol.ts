import type { Socket } from "node:net";

/** What a connection speaks. */
export type Protocol = "http1" | "http2";

/** What every HTTP/2 client sends first (RFC 9113 §3.4); no HTTP/1.1 request can begin so. */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Tells from a connection's first bytes what it speaks, and leaves them in the socket for whoever
 * serves it. A connection that does not say within the time, or closes first, is destroyed.
 */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  decided: (protocol: Protocol) => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const giveUp = (): void => {
    stop();
    socket.destroy();
  };
  const look = (bytes: Buffer): void => {
    seen = Buffer.concat([seen, bytes]);
    const protocol = protocolOf(seen);
    if (protocol === undefined) return;
    stop();
    socket.pause();
    socket.unshift(seen);
    decided(protocol);
  };
  const timer = setTimeout(giveUp, timeoutMs);
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("data", look).off("end", giveUp).off("error", giveUp).off("close", giveUp);
  };
  socket.on("data", look).on("end", giveUp).on("error", giveUp).on("close", giveUp);
}

/** @returns `undefined` while these first bytes can still become either. */
function protocolOf(seen: Buffer): Protocol | undefined {
  const compared = Math.min(seen.length, HTTP2_PREFACE.length);
  if (seen.compare(HTTP2_PREFACE, 0, compared, 0, compared) !== 0) return "http1";
  return compared === HTTP2_PREFACE.length ? "http2" : undefined;
}
