import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { Port, type TlsIdentity } from "./port.js";

/** What listens where. */
export interface ListenOptions {
  /** Serves HTTP/1.1. It is handed its connections and must not listen itself. */
  readonly http: HttpServer;
  readonly grpc: Http2Side;
  readonly host: string;
  /** TCP port of both; 0: any free one. */
  readonly port: number;
  /** TCP port of gRPC alone, which `port` then does not serve. */
  readonly grpcPort?: number;
  /** Absent: plain TCP. */
  readonly tls?: TlsIdentity;
  /** Milliseconds in which a connection must have said what it speaks. */
  readonly helloTimeoutMs?: number;
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
 * Opens the port that carries both gRPC and HTTP/1.1, told apart by a connection's first bytes, or by
 * ALPN under TLS (Decision §1).
 * @throws AppError `INVALID_ARGUMENT` when a port cannot be opened; then none is.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { http, grpc, host, tls, helloTimeoutMs = HELLO_TIMEOUT_MS } = options;
  const http1 = (connection: Socket): void => {
    http.emit("connection", connection);
    // Its first bytes wait in the paused socket until the server, listening now, lets them flow.
    connection.resume();
  };
  const http2 = (connection: Socket): void => {
    // HTTP/2 knows no half-closed connections: when the other end is done, so is this one.
    connection.allowHalfOpen = false;
    grpc.accept(connection);
  };
  const wanted =
    options.grpcPort === undefined
      ? [{ serve: { http1, http2 }, port: options.port }]
      : [
          { serve: { http1 }, port: options.port },
          { serve: { http2 }, port: options.grpcPort },
        ];
  const ports: Port[] = [];
  const numbers: number[] = [];
  try {
    for (const { serve, port } of wanted) {
      const opening = new Port({ serve, tls, helloTimeoutMs });
      numbers.push(await opening.open(host, port));
      ports.push(opening);
    }
  } catch (error) {
    await Promise.all(ports.map((port) => port.close()));
    throw error;
  }
  // Node's HTTP server watches for slow requests once it listens, and this one never will itself.
  http.emit("listening");
  const [port = 0, grpcPort = port] = numbers;
  return { port, grpcPort, close: (drainMs) => closeAll(ports, http, grpc, drainMs) };
}

async function closeAll(
  ports: readonly Port[],
  http: HttpServer,
  grpc: Http2Side,
  drainMs: number,
): Promise<void> {
  const sweep = setInterval(() => {
    http.closeIdleConnections();
  }, SWEEP_MS);
  const deadline = setTimeout(() => {
    for (const port of ports) port.cut();
  }, drainMs);
  await Promise.all([grpc.close(drainMs), ...ports.map((port) => port.close())]);
  clearInterval(sweep);
  clearTimeout(deadline);
  // Ends the watch over slow requests.
  http.close();
}
