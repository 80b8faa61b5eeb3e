import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ErrorBody } from "@steward/protocol/rest";

/**
 * An answer to input that never becomes a routed request, in the shape of every error (Decision
 * §9).
 */
export interface ConnectionAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request with an unknown method, or CONNECT, which has no resource. */
export type AnswerUnrouted = (method: string, url: string) => ConnectionAnswer;

export const REQUEST_LATE: ConnectionAnswer = {
  status: 408,
  body: { error: "The request took too long to arrive", code: "DEADLINE_EXCEEDED" },
};

export const HEADERS_TOO_LARGE: ConnectionAnswer = {
  status: 431,
  body: { error: "The request's headers are too large", code: "LIMIT_EXCEEDED" },
};

const NOT_HTTP: ConnectionAnswer = {
  status: 400,
  body: { error: "This is not an HTTP/1.1 request", code: "INVALID_ARGUMENT" },
};

/** Answers input that the HTTP/1.1 parser rejects, and closes the connection. */
export function answerConnectionErrors(
  unrouted: AnswerUnrouted,
): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) socket.destroy();
    else endWith(socket, answerTo(error, unrouted));
  };
}

/** An error of Node's HTTP/1.1 parser, with the bytes that it stopped at. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Writes an answer over HTTP/1.1, and closes the connection. */
export function endWith(socket: Duplex, { status, body, headers = {} }: ConnectionAnswer): void {
  const json = JSON.stringify(body);
  const lines = Object.entries({
    connection: "close",
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${json}`,
    () => socket.destroy(),
  );
}

/** Whether a response is being sent, which nothing may interrupt. */
function isAnswering(socket: Socket): boolean {
  // The field is not in Node's types; Node's own default handler uses it for the same decision.
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return response?.headersSent === true;
}

function answerTo({ code, rawPacket }: ParserError, unrouted: AnswerUnrouted): ConnectionAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return REQUEST_LATE;
    case "HPE_HEADER_OVERFLOW":
      return HEADERS_TOO_LARGE;
    case "HPE_INVALID_METHOD": {
      const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1") : "";
      const [, method, url] = REQUEST_LINE.exec(text) ?? [];
      return method === undefined || url === undefined ? NOT_HTTP : unrouted(method, url);
    }
    default:
      return NOT_HTTP;
  }
}

/** A request line with any token as the method (RFC 9112 §3). */
const REQUEST_LINE = /^([!#$%&'*+.^`|~\w-]{1,64}) (\/\S*) HTTP\/1\.[01]\r?\n/;
