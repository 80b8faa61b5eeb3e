import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, Server as TlsServer, type TLSSocket } from "node:tls";
import { AppError } from "@steward/kernel/errors.js";
import { CONNECTIONS_MAX, PEER_CONNECTIONS_MAX } from "@steward/kernel/limits.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";
import { sniffProtocol, type Protocol } from "./sniff-protocol.js";

/** What a TLS listener shows and whom it believes, as PEM. */
export interface TlsIdentity {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Authorities whose client certificates are taken; absent: none is asked for. */
  readonly clientCa?: string | Buffer;
}

/** How a port treats its connections. */
export interface PortOptions {
  /** Who serves a protocol; connections that speak another one are closed. */
  readonly serve: Partial<Record<Protocol, (connection: Socket) => void>>;
  /** Absent: plain TCP. */
  readonly tls?: TlsIdentity | undefined;
  /** Milliseconds in which a connection must have said what it speaks. */
  readonly helloTimeoutMs: number;
  /** Connections at once from one address; further ones are closed as they come. */
  readonly peerConnectionsMax?: number | undefined;
  /** Is told of each connection that is closed because no trusted authority signed its client's certificate. */
  readonly onRefusedClient?: ((peerAddress: string, reason: string) => void) | undefined;
}

/** One TCP port: what listens on it, and its connections. */
export class Port {
  readonly #options: PortOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  /** Connections that have not said yet what they speak. */
  readonly #undecided = new Set<Socket>();

  constructor(options: PortOptions) {
    this.#options = options;
    this.#server = options.tls === undefined ? this.#plainServer() : this.#tlsServer(options.tls);
    this.#server.maxConnections = CONNECTIONS_MAX;
    const peers = new Tally(options.peerConnectionsMax ?? PEER_CONNECTIONS_MAX);
    // Before the listener that serves it, which must not begin with a connection that is closed at once.
    this.#server.prependListener("connection", (socket: Socket) => {
      const leave = peers.enter(socket.remoteAddress ?? "");
      if (leave === undefined) {
        socket.destroy();
        return;
      }
      this.#connections.add(socket);
      socket.once("close", () => {
        this.#connections.delete(socket);
        leave();
      });
    });
  }

  /**
   * Starts to listen. @returns the port, also where any free one was asked for.
   * @throws AppError `INVALID_ARGUMENT` when it cannot.
   */
  async open(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error) => {
        reject(cannotListen(host, port, error));
      });
      this.#server.listen(port, host, resolve);
    });
    // A server that listens on TCP has an address of this kind.
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Uses another certificate for the connections to come.
   * @throws Error when certificate and key do not belong together; nothing changes then.
   */
  renew({ cert, key, clientCa }: TlsIdentity): void {
    if (!(this.#server instanceof TlsServer)) return;
    this.#server.setSecureContext({ cert, key, ...(clientCa && { ca: clientCa }) });
  }

  /** Takes no more connections; resolves when the last one is closed. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const socket of this.#undecided) socket.destroy();
    await closed;
  }

  /** Closes every connection, whatever is under way on it. */
  cut(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  #plainServer(): Server {
    return createServer(SOCKET_OPTIONS, (socket) => {
      // One too many, which is closed already.
      if (socket.destroyed) return;
      this.#undecided.add(socket);
      sniffProtocol(socket, this.#options.helloTimeoutMs, (protocol) => {
        this.#undecided.delete(socket);
        this.#serve(protocol, socket);
      });
      socket.once("close", () => this.#undecided.delete(socket));
    });
  }

  #tlsServer({ cert, key, clientCa }: TlsIdentity): Server {
    const options = {
      ...TLS_SOCKET_OPTIONS,
      cert,
      key,
      ...(clientCa && { ca: clientCa }),
      // Who shows none may have another credential.
      requestCert: clientCa !== undefined,
      rejectUnauthorized: false,
      ALPNProtocols: ALPN_NAMES.filter(({ protocol }) => protocol in this.#options.serve).map(
        ({ name }) => name,
      ),
      handshakeTimeout: this.#options.helloTimeoutMs,
    };
    const server = createTlsServer(options, (socket) => {
      if (clientCa !== undefined && this.#isRefused(socket)) return;
      this.#serve(socket.alpnProtocol === "h2" ? "http2" : "http1", socket);
    });
    // A handshake that fails or takes too long is only reported.
    return server.on("tlsClientError", (_error, socket: Socket) => socket.destroy());
  }

  /** Closes a connection whose client shows a certificate that cannot be believed. */
  #isRefused(socket: TLSSocket): boolean {
    if (socket.authorized || socket.getPeerX509Certificate() === undefined) return false;
    // At run time this is the name of OpenSSL's error, although Node's types say Error.
    const reason = String(socket.authorizationError);
    this.#options.onRefusedClient?.(socket.remoteAddress ?? "", reason);
    socket.destroy();
    return true;
  }

  #serve(protocol: Protocol, socket: Socket): void {
    const serve = this.#options.serve[protocol];
    if (serve === undefined) socket.destroy();
    else serve(socket);
  }
}

/** What ALPN calls the protocols (RFC 7301), the one that is preferred first. */
const ALPN_NAMES: readonly { readonly protocol: Protocol; readonly name: string }[] = [
  { protocol: "http2", name: "h2" },
  { protocol: "http1", name: "http/1.1" },
];

/**
 * What node's own HTTP server sets for the sockets it accepts. Its HTTPS server leaves half-open connections out: a
 * client that goes in the middle of the handshake would hold its connection until the handshake's time is over.
 */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true };
const TLS_SOCKET_OPTIONS = { noDelay: true };

function cannotListen(host: string, port: number, cause: Error): AppError {
  const reason = "code" in cause && cause.code === "EADDRINUSE" ? "it is in use" : cause.message;
  return new AppError(
    "INVALID_ARGUMENT",
    `Cannot listen on port ${String(port)} of ${host}: ${reason}`,
    { cause },
  );
}
