import { METHODS, type Server } from "node:http";
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from "node:http2";
import {
  HEADERS_TOO_LARGE,
  REQUEST_LATE,
  type AnswerUnrouted,
  type ConnectionAnswer,
} from "../rest/connection-errors.js";
import { HEADER_BYTES_MAX } from "@steward/kernel/limits.js";
import { headerBytes } from "./header-bytes.js";
import type { StreamListener } from "./stream-listener.js";

/** What HTTP/1.1 needs no telling of. */
export interface RestStreamsOptions {
  /** Milliseconds in which a request's body must have arrived. */
  readonly requestMs: number;
  readonly unrouted: AnswerUnrouted;
}

/**
 * Serves HTTP/2 streams by the routes of an HTTP/1.1 server. The limits that Node enforces on
 * HTTP/1.1 alone are enforced here: size of the headers and time for the body.
 * @param http1 Is handed the requests; it need not listen.
 */
export function restStreams(
  http1: Server,
  { requestMs, unrouted }: RestStreamsOptions,
): StreamListener {
  // Never listens: it makes a request and a response of each stream that it is given.
  const server = createServer();
  const serve = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    endWithAnswer(request);
    if (headerBytes(request.rawHeaders) > HEADER_BYTES_MAX) {
      answer(response, HEADERS_TOO_LARGE);
      return;
    }
    // HTTP/2 has no set of methods; the routes know those of Node's HTTP/1.1 parser.
    if (!METHODS.includes(request.method)) {
      answer(response, unrouted(request.method, request.url));
      return;
    }
    limitTime(request, response, requestMs);
    // The authority takes the place of the host (RFC 9113 §8.3.1), which is checked further on.
    if (request.authority !== "") request.headers.host = request.authority;
    http1.emit("request", request, response);
  };
  server.on("request", serve);
  // Who expects what no one knows is served all the same (RFC 9110 §10.1.1).
  server.on("checkExpectation", serve);
  server.on("connect", ({ authority }: Http2ServerRequest, response: Http2ServerResponse) => {
    answer(response, unrouted("CONNECT", authority));
  });
  return (stream, headers, flags, rawHeaders) => {
    server.emit("stream", stream, headers, flags, rawHeaders);
  };
}

/** Answers a request whose body does not arrive in time. */
function limitTime(
  { stream }: Http2ServerRequest,
  response: Http2ServerResponse,
  requestMs: number,
): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(() => {
    if (hasArrived(stream)) return;
    if (response.headersSent) stream.close(constants.NGHTTP2_CANCEL);
    else answer(response, REQUEST_LATE);
  }, requestMs);
  stream.once("close", () => clearTimeout(timer));
}

/** Ends the stream with its answer, also when the client has not sent all of its request. */
function endWithAnswer({ stream }: Http2ServerRequest): void {
  if (stream.endAfterHeaders) return;
  stream.once("finish", () => {
    if (!hasArrived(stream)) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}

/** Whether the request is here as a whole, be it read or not. */
function hasArrived(stream: ServerHttp2Stream): boolean {
  return stream.state.remoteClose === 1;
}

function answer(response: Http2ServerResponse, { status, body, headers }: ConnectionAnswer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}
