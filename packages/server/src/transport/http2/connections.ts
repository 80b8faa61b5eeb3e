import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import {
  Server,
  ServerCredentials,
  type ConnectionInjector,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { assert } from "@steward/kernel/assert.js";
import { BoundedTurns } from "@steward/kernel/concurrency/bounded-turns.js";
import { withRepeatedHeaders } from "../repeated-headers.js";
import type { StreamListener } from "./stream-listener.js";
import {
  HEADER_BYTES_MAX,
  HTTP2_SESSION_MEMORY_MAX,
  HTTP2_STREAMS_MAX,
  REQUEST_BYTES_MAX,
  TURN_MS,
  TURN_REQUESTS_MAX,
} from "../limits.js";
import { FloodGuard } from "./flood-guard.js";
import { headerBytes } from "./header-bytes.js";
import { refuseHeaders } from "./refusals.js";
import { UnreadStreams } from "./unread-streams.js";

/** Time limits of HTTP/2 connections, in ms. */
export interface Http2Patience {
  /** How long a connection may stay open without requests, in ms. */
  readonly idleTimeoutMs: number;
  /** Interval of the pings that check whether the client is still there, in ms. */
  readonly keepaliveMs: number;
  /** How long the answer to a ping may take, in ms. */
  readonly keepaliveTimeoutMs: number;
  /** How long a client may leave an answer unread, in ms. */
  readonly unreadMs: number;
}

/** The handlers of the connections' streams. */
export interface Http2Options {
  readonly patience: Http2Patience;
  /** Handles every stream that is not gRPC. */
  readonly otherStreams: StreamListener;
  /** Handles the gRPC streams; absent: {@link Http2Connections.grpc} does. */
  readonly grpcStreams?: StreamListener;
  /** Run for every gRPC call. */
  readonly interceptors?: ServerInterceptor[];
}

/**
 * HTTP/2 connections that a listener has accepted, with TLS established. One connection carries
 * both gRPC and REST; the content type of each request distinguishes them. The sessions belong to
 * grpc-js, which pings, closes and drains them, so that the same limits apply to all streams.
 */
export class Http2Connections {
  /** Handles the gRPC streams. */
  readonly grpc: Server;
  readonly #injector: ConnectionInjector;
  readonly #unread: UnreadStreams;
  readonly #floods = new FloodGuard();

  constructor(options: Http2Options) {
    this.grpc = new Server({
      // Twice the service's limit, so that its own decoder refuses slightly larger requests with a
      // helpful message.
      "grpc.max_receive_message_length": 2 * REQUEST_BYTES_MAX,
      "grpc.max_concurrent_streams": HTTP2_STREAMS_MAX,
      "grpc-node.max_session_memory": HTTP2_SESSION_MEMORY_MAX,
      "grpc.max_connection_idle_ms": options.patience.idleTimeoutMs,
      "grpc.keepalive_time_ms": options.patience.keepaliveMs,
      "grpc.keepalive_timeout_ms": options.patience.keepaliveTimeoutMs,
      // Statistics that nobody reads; the service has its own metrics.
      "grpc.enable_channelz": 0,
      interceptors: options.interceptors ?? [],
    });
    this.#unread = new UnreadStreams(options.patience.unreadMs);
    routeStreams(this.grpc, options, { unread: this.#unread, floods: this.#floods });
    this.#injector = this.grpc.createConnectionInjector(ServerCredentials.createInsecure());
  }

  /** Serves an HTTP/2 connection. */
  accept(connection: Duplex): void {
    this.#floods.watch(connection);
    this.#injector.injectConnection(connection);
  }

  /**
   * Accepts no new requests and waits for those in progress; cuts off the rest after the drain
   * time.
   */
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
    this.#floods[Symbol.dispose]();
  }
}

/** The methods of grpc-js's `Server` that every stream passes through; its types hide them. */
interface StreamMethods {
  _streamHandler(interceptors: unknown, ...stream: Parameters<StreamListener>): void;
  /** Counts the stream as open, so that its connection is not idle. */
  onStreamOpened(stream: ServerHttp2Stream): void;
}

/**
 * Passes each stream to its handler. grpc-js hides its HTTP/2 server and answers everything that is
 * not gRPC with an empty 415, so its listener is replaced before it is attached.
 */
function routeStreams(
  server: Server,
  { otherStreams, grpcStreams }: Http2Options,
  { unread, floods }: { readonly unread: UnreadStreams; readonly floods: FloodGuard },
): void {
  // These two methods are not public. With a version of grpc-js that lacks them, the server must
  // not start.
  const methods = server as unknown as StreamMethods;
  assert(typeof methods._streamHandler === "function", "grpc-js has the method _streamHandler");
  assert(typeof methods.onStreamOpened === "function", "grpc-js has the method onStreamOpened");
  const serveGrpc = methods._streamHandler.bind(server);
  const turns = new BoundedTurns({ startsMax: TURN_REQUESTS_MAX, turnMs: TURN_MS });
  methods._streamHandler = (interceptors, stream, received, flags, rawHeaders) => {
    floods.count(stream, rawHeaders);
    // For good: a stream that its connection destroys fails a moment later, and without a listener that ends the process.
    stream.on("error", ignore);
    turns.enter(
      () => connectionOf(stream),
      () => {
        // A client may reset its stream before its turn comes.
        if (!stream.destroyed) serve(interceptors, stream, received, flags, rawHeaders);
      },
    );
  };
  const serve: StreamMethods["_streamHandler"] = (
    interceptors,
    stream,
    received,
    flags,
    rawHeaders,
  ) => {
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

/** A name for the stream's connection. */
function connectionOf({ session }: ServerHttp2Stream): string {
  const socket = session?.destroyed === false ? session.socket : undefined;
  return `${String(socket?.remoteAddress)}:${String(socket?.remotePort)}`;
}

/** A client that has reset its stream needs no answer. */
function ignore(): void {}

/**
 * Checks the content type that the gRPC protocol requires; `application/grpc-web` is a different
 * protocol.
 */
function isGrpc(headers: IncomingHttpHeaders): boolean {
  return GRPC_TYPE.test(headers["content-type"] ?? "");
}

const GRPC_TYPE = /^application\/grpc(?:$|[+;])/;
