import type { Socket } from "node:net";

/** The protocol of a connection. */
export type Protocol = "http1" | "http2";

/**
 * The first bytes of every HTTP/2 client (RFC 9113 §3.4); no HTTP/1.1 request can start like this.
 */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Detects the protocol from a connection's first bytes, and leaves them in the socket for the
 * handler. A connection that does not reveal its protocol in time, or closes first, is destroyed.
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

/** @returns `undefined` while these first bytes are ambiguous. */
function protocolOf(seen: Buffer): Protocol | undefined {
  const compared = Math.min(seen.length, HTTP2_PREFACE.length);
  if (seen.compare(HTTP2_PREFACE, 0, compared, 0, compared) !== 0) return "http1";
  return compared === HTTP2_PREFACE.length ? "http2" : undefined;
}
