import type { ErrorBody } from "@steward/protocol/rest";
import type { Socket } from "node:net";

/**
 * Answers what the HTTP parser could not make a request of, in the same shape as every error
 * (Decision §9), and closes the connection.
 */
export function answerConnectionError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, body } = answerTo(error.code);
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
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

function answerTo(code: string | undefined): {
  readonly status: string;
  readonly body: ErrorBody;
} {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: "408 Request Timeout",
        body: { error: "The request took too long to arrive", code: "DEADLINE_EXCEEDED" },
      };
    case "HPE_HEADER_OVERFLOW":
      return {
        status: "431 Request Header Fields Too Large",
        body: { error: "The request's headers are too large", code: "LIMIT_EXCEEDED" },
      };
    default:
      return {
        status: "400 Bad Request",
        body: { error: "This is not an HTTP/1.1 request", code: "INVALID_ARGUMENT" },
      };
  }
}
