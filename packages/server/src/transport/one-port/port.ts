import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, Server as TlsServer, type TLSSocket } from "node:tls";
import { AppError } from "@steward/kernel/errors.js";
import { CONNECTIONS_MAX, PEER_CONNECTIONS_MAX } from "../limits.js";
import { openPerNetwork } from "../stream-limits.js";
import { sniffProtocol, type Protocol } from "./sniff-protocol.js";

/** A TLS listener's certificate and trusted authorities, as PEM. */
export interface TlsIdentity {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /**
   * Authorities whose client certificates are accepted; absent: no client certificate is requested.
   */
  readonly clientCa?: string | Buffer;
}

export interface PortOptions {
  /** The handler of each protocol; connections with another protocol are closed. */
  readonly serve: Partial<Record<Protocol, (connection: Socket) => void>>;
  /** Absent: plain TCP. */
  readonly tls?: TlsIdentity | undefined;
  /** Time in which a connection must reveal its protocol, in ms. */
  readonly helloTimeoutMs: number;
  /** Maximum number of connections from one address; further ones are closed at once. */
  readonly peerConnectionsMax?: number | undefined;
  /**
   * Whether a trusted proxy has this address. Its connections carry the requests of many clients,
   * so that only the limit of the port applies to them.
   */
  readonly isProxy?: ((peerAddress: string) => boolean) | undefined;
  /**
   * Called for each connection that is closed because no trusted authority signed its client's
   * certificate.
   */
  readonly onRefusedClient?: ((peerAddress: string, reason: string) => void) | undefined;
}

/** One TCP port with its listener and its connections. */
export class Port {
  readonly #options: PortOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  /** Connections whose protocol is not known yet. */
  readonly #undecided = new Set<Socket>();

  constructor(options: PortOptions) {
    this.#options = options;
    this.#server = options.tls === undefined ? this.#plainServer() : this.#tlsServer(options.tls);
    this.#server.maxConnections = CONNECTIONS_MAX;
    const enter = openPerNetwork(options.peerConnectionsMax ?? PEER_CONNECTIONS_MAX);
    // Runs before the listener that serves the connection, so that connections beyond the limit are
    // closed first.
    this.#server.prependListener("connection", (socket: Socket) => {
      const address = socket.remoteAddress ?? "";
      const isProxy = options.isProxy?.(address) ?? false;
      const leave = isProxy ? undefined : enter(address);
      if (!isProxy && leave === undefined) {
        socket.destroy();
        return;
      }
      this.#connections.add(socket);
      socket.once("close", () => {
        this.#connections.delete(socket);
        leave?.();
      });
    });
  }

  /**
   * Starts to listen. @returns the actual port, even if any free one was requested.
   * @throws ListenError when it cannot.
   */
  async open(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error) => {
        reject(new ListenError(host, port, error));
      });
      this.#server.listen(port, host, resolve);
    });
    // A server that listens on TCP has an address of this kind.
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Uses another certificate for new connections.
   * @throws Error when certificate and key do not match; nothing changes then.
   */
  renew({ cert, key, clientCa }: TlsIdentity): void {
    if (!(this.#server instanceof TlsServer)) return;
    this.#server.setSecureContext({ cert, key, ...(clientCa && { ca: clientCa }) });
  }

  /** Accepts no more connections; resolves when the last one is closed. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const socket of this.#undecided) socket.destroy();
    await closed;
  }

  /** Closes every connection, even with requests in progress. */
  cut(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  #plainServer(): Server {
    return createServer(SOCKET_OPTIONS, (socket) => {
      // The limit of connections has already closed it.
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
      // A client without a certificate may have another credential.
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
    // After a failed or slow handshake Node emits this event and leaves the socket open.
    return server.on("tlsClientError", (_error, socket: Socket) => socket.destroy());
  }

  /** Closes a connection with an invalid client certificate. */
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

/** The protocols' names in ALPN (RFC 7301), most preferred first. */
const ALPN_NAMES: readonly { readonly protocol: Protocol; readonly name: string }[] = [
  { protocol: "http2", name: "h2" },
  { protocol: "http1", name: "http/1.1" },
];

/**
 * The socket options of node's own HTTP server. Its HTTPS server omits allowHalfOpen: a client that
 * disconnects during the handshake would then keep its connection until the handshake's timeout.
 */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true };
const TLS_SOCKET_OPTIONS = { noDelay: true };

/** The system did not let the server listen; the cause is its error. */
export class ListenError extends AppError {
  readonly port: number;

  constructor(host: string, port: number, cause: Error) {
    const reason = "code" in cause && cause.code === "EADDRINUSE" ? "it is in use" : cause.message;
    const message = `Cannot listen on port ${String(port)} of ${host}: ${reason}`;
    super("INVALID_ARGUMENT", message, { cause });
    this.port = port;
  }
}
