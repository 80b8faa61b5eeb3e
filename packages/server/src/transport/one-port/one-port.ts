import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { Port, type PortOptions, type TlsIdentity } from "./port.js";

/** Ports and their handlers. */
export interface ListenOptions {
  /** Handles HTTP/1.1. It gets its connections from here and must not listen itself. */
  readonly http1: HttpServer;
  /** Handles HTTP/2. */
  readonly http2: Http2Side;
  readonly host: string;
  /** TCP port of both; 0: any free port. */
  readonly port: number;
  /** Set when gRPC has its own port. */
  readonly grpc?: GrpcPort;
  /** Absent: plain TCP. */
  readonly tls?: TlsIdentity;
  /** Time in which a connection must reveal its protocol, in ms. */
  readonly helloTimeoutMs?: number;
  /** Maximum number of connections from one address, on each port. */
  readonly peerConnectionsMax?: number;
  /** See {@link PortOptions.isProxy}. */
  readonly isProxy?: PortOptions["isProxy"];
  /** See {@link PortOptions.onRefusedClient}. */
  readonly onRefusedClient?: PortOptions["onRefusedClient"];
}

/** A port for HTTP/2 only. */
export interface GrpcPort {
  readonly http2: Http2Side;
  /** 0: any free port. */
  readonly port: number;
}

/** Handles HTTP/2 connections. */
export interface Http2Side {
  accept(connection: Socket): void;
  /** Resolves when nothing is in progress any more, at the latest after the drain time. */
  close(drainMs: number): Promise<void>;
}

/** Open ports. */
export interface Listening {
  /** The actual port, even if any free one was requested. */
  readonly port: number;
  /** The same as `port`, unless gRPC has its own. */
  readonly grpcPort: number;
  /**
   * Uses another TLS certificate for new connections.
   * @throws Error when certificate and key do not match.
   */
  renew(tls: TlsIdentity): void;
  /**
   * Accepts no new connections, lets requests in progress finish, and resolves when every
   * connection is closed; after the drain time it closes the rest.
   */
  close(drainMs: number): Promise<void>;
}

/** Long enough for a slow link, short enough that silent connections do not pile up. */
const HELLO_TIMEOUT_MS = 10_000;

/** Interval at which a drain looks for HTTP/1.1 connections that have become idle. */
const SWEEP_MS = 50;

/**
 * Opens the port for HTTP/1.1 and HTTP/2, which are distinguished by a connection's first bytes, or
 * by ALPN under TLS (Decision §1).
 * @throws AppError `INVALID_ARGUMENT` when a port cannot be opened; then none is open.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { http1, http2, grpc, host, tls, helloTimeoutMs = HELLO_TIMEOUT_MS } = options;
  const { peerConnectionsMax, isProxy, onRefusedClient } = options;
  const limits = { helloTimeoutMs, peerConnectionsMax, isProxy };
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
      const opening = new Port({ serve, tls, ...limits, onRefusedClient });
      numbers.push(await opening.open(host, port));
      ports.push(opening);
    }
  } catch (error) {
    await Promise.all(ports.map((port) => port.close()));
    throw error;
  }
  // Node's HTTP server starts its check for slow requests when it listens, which this server never
  // does.
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
    // The first bytes wait in the paused socket until the server, which listens to it now, reads
    // them.
    connection.resume();
  };
}

function http2Connections(side: Http2Side): (connection: Socket) => void {
  return (connection) => {
    // HTTP/2 has no half-closed connections: when the client ends, the connection ends.
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
  // Ends the check for slow requests.
  http1.close();
}
