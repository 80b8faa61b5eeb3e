import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import {
  Server,
  ServerCredentials,
  type ConnectionInjector,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { assert } from "@steward/kernel/assert.js";
import { withRepeatedHeaders } from "../repeated-headers.js";
import type { StreamListener } from "./stream-listener.js";
import {
  HEADER_BYTES_MAX,
  HTTP2_SESSION_MEMORY_MAX,
  HTTP2_STREAMS_MAX,
  REQUEST_BYTES_MAX,
} from "@steward/kernel/limits.js";
import { headerBytes } from "./header-bytes.js";
import { refuseHeaders } from "./refusals.js";
import { UnreadStreams } from "./unread-streams.js";

/** How patient a server is with its HTTP/2 connections; all in milliseconds. */
export interface Http2Patience {
  /** For a connection without requests. */
  readonly idleTimeoutMs: number;
  /** Between two pings that tell whether the other end is still there. */
  readonly keepaliveMs: number;
  /** For the answer to a ping. */
  readonly keepaliveTimeoutMs: number;
  /** For the other end to take some of an answer. */
  readonly unreadMs: number;
}

/** Who serves the streams of the connections. */
export interface Http2Options {
  readonly patience: Http2Patience;
  /** Takes every stream that carries no gRPC. */
  readonly otherStreams: StreamListener;
  /** Takes the streams that carry gRPC; absent: {@link Http2Connections.grpc} does. */
  readonly grpcStreams?: StreamListener;
  /** See every gRPC call. */
  readonly interceptors?: ServerInterceptor[];
}

/**
 * HTTP/2 connections that somebody else accepts, TLS done. One connection carries gRPC and REST side
 * by side: the content type of each request tells which it is. The sessions belong to grpc-js, which
 * pings, closes and drains them, so that one set of limits holds for all streams.
 */
export class Http2Connections {
  /** Serves the streams that carry gRPC. */
  readonly grpc: Server;
  readonly #injector: ConnectionInjector;
  readonly #unread: UnreadStreams;

  constructor(options: Http2Options) {
    this.grpc = new Server({
      // Twice our limit, so that it is our decoder that refuses what is somewhat too large, and says why.
      "grpc.max_receive_message_length": 2 * REQUEST_BYTES_MAX,
      "grpc.max_concurrent_streams": HTTP2_STREAMS_MAX,
      "grpc-node.max_session_memory": HTTP2_SESSION_MEMORY_MAX,
      "grpc.max_connection_idle_ms": options.patience.idleTimeoutMs,
      "grpc.keepalive_time_ms": options.patience.keepaliveMs,
      "grpc.keepalive_timeout_ms": options.patience.keepaliveTimeoutMs,
      // Bookkeeping that nobody reads: there are metrics.
      "grpc.enable_channelz": 0,
      interceptors: options.interceptors ?? [],
    });
    this.#unread = new UnreadStreams(options.patience.unreadMs);
    routeStreams(this.grpc, options, this.#unread);
    this.#injector = this.grpc.createConnectionInjector(ServerCredentials.createInsecure());
  }

  /** Serves a connection whose other end speaks HTTP/2. */
  accept(connection: Duplex): void {
    this.#injector.injectConnection(connection);
  }

  /** Takes no new requests and waits for those under way; cuts what lasts longer than the drain. */
  async close(drainMs: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.grpc.forceShutdown();
    }, drainMs);
    await new Promise<void>((resolve) => {
      this.grpc.tryShutdown(() => {
        resolve();
      });
    });
    clearTimeout(deadline);
    this.#unread[Symbol.dispose]();
  }
}

/** The methods of grpc-js's `Server` through which every stream goes; its types hide them. */
interface StreamMethods {
  _streamHandler(interceptors: unknown, ...stream: Parameters<StreamListener>): void;
  /** Counts the stream as one under way, so that its connection is not idle. */
  onStreamOpened(stream: ServerHttp2Stream): void;
}

/**
 * Gives the streams to who serves them. grpc-js creates its HTTP/2 server where nobody reaches it and
 * answers whatever is not gRPC with an empty 415, so its listener is replaced before it is attached.
 */
function routeStreams(
  server: Server,
  { otherStreams, grpcStreams }: Http2Options,
  unread: UnreadStreams,
): void {
  // No public way leads to these two methods. A version of grpc-js without them must not start.
  const methods = server as unknown as StreamMethods;
  assert(typeof methods._streamHandler === "function", "grpc-js has the method _streamHandler");
  assert(typeof methods.onStreamOpened === "function", "grpc-js has the method onStreamOpened");
  const serveGrpc = methods._streamHandler.bind(server);
  methods._streamHandler = (interceptors, stream, received, flags, rawHeaders) => {
    unread.watch(stream);
    const headers = withRepeatedHeaders(received, rawHeaders);
    const listener = isGrpc(headers) ? grpcStreams : otherStreams;
    if (listener !== undefined) {
      methods.onStreamOpened(stream);
      listener(stream, headers, flags, rawHeaders);
    } else if (headerBytes(rawHeaders) > HEADER_BYTES_MAX) {
      methods.onStreamOpened(stream);
      refuseHeaders(stream, headers, flags, rawHeaders);
    } else {
      serveGrpc(interceptors, stream, headers, flags, rawHeaders);
    }
  };
}

/** Tells by the content type that the gRPC protocol prescribes; `application/grpc-web` is another. */
function isGrpc(headers: IncomingHttpHeaders): boolean {
  return GRPC_TYPE.test(headers["content-type"] ?? "");
}

const GRPC_TYPE = /^application\/grpc(?:$|[+;])/;
