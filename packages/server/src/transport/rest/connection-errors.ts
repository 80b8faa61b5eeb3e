import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorBody } from "@steward/protocol/rest";

/** An answer to what never becomes a request of the routes, in the shape of every error (Decision §9). */
export interface ConnectionAnswer {
  readonly status: number;
  readonly body: ErrorBody;
}

export const REQUEST_LATE: ConnectionAnswer = {
  status: 408,
  body: { error: "The request took too long to arrive", code: "DEADLINE_EXCEEDED" },
};

export const HEADERS_TOO_LARGE: ConnectionAnswer = {
  status: 431,
  body: { error: "The request's headers are too large", code: "LIMIT_EXCEEDED" },
};

export const CONNECT_REFUSED: ConnectionAnswer = {
  status: 405,
  body: { error: "This server is no proxy: it serves no CONNECT", code: "METHOD_NOT_ALLOWED" },
};

const NOT_HTTP: ConnectionAnswer = {
  status: 400,
  body: { error: "This is not an HTTP/1.1 request", code: "INVALID_ARGUMENT" },
};

/** Answers what the HTTP/1.1 parser could not make a request of, and closes the connection. */
export function answerConnectionError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, body } = answerTo(error.code);
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\n` +
      `Connection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${String(Buffer.byteLength(json))}\r\n\r\n${json}`,
    () => socket.destroy(),
  );
}

/** Whether a response is on its way, into the middle of which nothing may be written. */
function isAnswering(socket: Socket): boolean {
  // The field is not in Node's types; its own default handler of these errors decides by it.
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return response?.headersSent === true;
}

function answerTo(code: string | undefined): ConnectionAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return REQUEST_LATE;
    case "HPE_HEADER_OVERFLOW":
      return HEADERS_TOO_LARGE;
    default:
      return NOT_HTTP;
  }
}
