import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { Port, type PortOptions, type TlsIdentity } from "./port.js";

/** What listens where. */
export interface ListenOptions {
  /** Serves HTTP/1.1. It is handed its connections and must not listen itself. */
  readonly http1: HttpServer;
  /** Serves HTTP/2. */
  readonly http2: Http2Side;
  readonly host: string;
  /** TCP port of both; 0: any free one. */
  readonly port: number;
  /** Where gRPC has a port of its own. */
  readonly grpc?: GrpcPort;
  /** Absent: plain TCP. */
  readonly tls?: TlsIdentity;
  /** Milliseconds in which a connection must have said what it speaks. */
  readonly helloTimeoutMs?: number;
  /** Connections at once from one address, on each port. */
  readonly peerConnectionsMax?: number;
  /** See {@link PortOptions.onRefusedClient}. */
  readonly onRefusedClient?: PortOptions["onRefusedClient"];
}

/** A port of HTTP/2 alone. */
export interface GrpcPort {
  readonly http2: Http2Side;
  /** 0: any free one. */
  readonly port: number;
}

/** Serves connections that speak HTTP/2. */
export interface Http2Side {
  accept(connection: Socket): void;
  /** Resolves when nothing is under way any more, at the latest after the drain time. */
  close(drainMs: number): Promise<void>;
}

/** Ports that are open. */
export interface Listening {
  /** Also where any free one was asked for. */
  readonly port: number;
  /** The same as `port`, unless gRPC has its own. */
  readonly grpcPort: number;
  /**
   * Uses another certificate for the connections to come, where there is TLS.
   * @throws Error when certificate and key do not belong together.
   */
  renew(tls: TlsIdentity): void;
  /**
   * Takes no new connections, lets what is under way finish, and resolves when every connection is
   * closed; those that are not after the drain time are cut.
   */
  close(drainMs: number): Promise<void>;
}

/** Long enough for a slow link, short enough that silent connections do not pile up. */
const HELLO_TIMEOUT_MS = 10_000;

/** How often a drain looks for HTTP/1.1 connections that have become idle. */
const SWEEP_MS = 50;

/**
 * Opens the port that carries HTTP/1.1 and HTTP/2, told apart by a connection's first bytes, or by
 * ALPN under TLS (Decision §1).
 * @throws AppError `INVALID_ARGUMENT` when a port cannot be opened; then none is.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { http1, http2, grpc, host, tls, helloTimeoutMs = HELLO_TIMEOUT_MS } = options;
  const { peerConnectionsMax, onRefusedClient } = options;
  const wanted = [
    {
      serve: { http1: http1Connections(http1), http2: http2Connections(http2) },
      port: options.port,
    },
    ...(grpc === undefined
      ? []
      : [{ serve: { http2: http2Connections(grpc.http2) }, port: grpc.port }]),
  ];
  const ports: Port[] = [];
  const numbers: number[] = [];
  try {
    for (const { serve, port } of wanted) {
      const opening = new Port({ serve, tls, helloTimeoutMs, peerConnectionsMax, onRefusedClient });
      numbers.push(await opening.open(host, port));
      ports.push(opening);
    }
  } catch (error) {
    await Promise.all(ports.map((port) => port.close()));
    throw error;
  }
  // Node's HTTP server watches for slow requests once it listens, and this one never will itself.
  http1.emit("listening");
  const [port = 0, grpcPort = port] = numbers;
  const sides = grpc === undefined ? [http2] : [http2, grpc.http2];
  return {
    port,
    grpcPort,
    renew: (identity) => {
      for (const each of ports) each.renew(identity);
    },
    close: (drainMs) => closeAll(ports, http1, sides, drainMs),
  };
}

function http1Connections(server: HttpServer): (connection: Socket) => void {
  return (connection) => {
    server.emit("connection", connection);
    // Its first bytes wait in the paused socket until the server, listening now, lets them flow.
    connection.resume();
  };
}

function http2Connections(side: Http2Side): (connection: Socket) => void {
  return (connection) => {
    // HTTP/2 knows no half-closed connections: when the other end is done, so is this one.
    connection.allowHalfOpen = false;
    side.accept(connection);
  };
}

async function closeAll(
  ports: readonly Port[],
  http1: HttpServer,
  http2: readonly Http2Side[],
  drainMs: number,
): Promise<void> {
  const sweep = setInterval(() => {
    http1.closeIdleConnections();
  }, SWEEP_MS);
  const deadline = setTimeout(() => {
    for (const port of ports) port.cut();
  }, drainMs);
  await Promise.all([
    ...http2.map((side) => side.close(drainMs)),
    ...ports.map((port) => port.close()),
  ]);
  clearInterval(sweep);
  clearTimeout(deadline);
  // Ends the watch over slow requests.
  http1.close();
}
