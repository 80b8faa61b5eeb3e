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
import { HEADER_BYTES_MAX } from "../limits.js";
import { headerBytes } from "./header-bytes.js";
import type { StreamListener } from "./stream-listener.js";

/** Limits that Node applies by itself only to HTTP/1.1. */
export interface RestStreamsOptions {
  /** Time limit for a request's body, in ms. */
  readonly requestMs: number;
  readonly unrouted: AnswerUnrouted;
}

/**
 * Serves HTTP/2 streams with the routes of an HTTP/1.1 server. It also applies the limits that Node
 * applies only to HTTP/1.1: the size of the headers and the time for the body.
 * @param http1 Gets the requests; it need not listen.
 */
export function restStreams(
  http1: Server,
  { requestMs, unrouted }: RestStreamsOptions,
): StreamListener {
  // Never listens; it only converts each stream to a request and a response.
  const server = createServer();
  const serve = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    endWithAnswer(request);
    if (headerBytes(request.rawHeaders) > HEADER_BYTES_MAX) {
      answer(response, HEADERS_TOO_LARGE);
      return;
    }
    // HTTP/2 allows any method; the routes support those of Node's HTTP/1.1 parser.
    if (!METHODS.includes(request.method)) {
      answer(response, unrouted(request.method, request.url));
      return;
    }
    limitTime(request, response, requestMs);
    // The authority replaces the host (RFC 9113 §8.3.1), which is checked later.
    if (request.authority !== "") request.headers.host = request.authority;
    http1.emit("request", request, response);
  };
  server.on("request", serve);
  // Unknown expectations are ignored (RFC 9110 §10.1.1).
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

/** Ends the stream after its answer, even if the client has not sent its whole request. */
function endWithAnswer({ stream }: Http2ServerRequest): void {
  if (stream.endAfterHeaders) return;
  stream.once("finish", () => {
    if (!hasArrived(stream)) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}

/** Whether the request has arrived completely, whether or not it has been read. */
function hasArrived(stream: ServerHttp2Stream): boolean {
  return stream.state.remoteClose === 1;
}

function answer(response: Http2ServerResponse, { status, body, headers }: ConnectionAnswer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}
