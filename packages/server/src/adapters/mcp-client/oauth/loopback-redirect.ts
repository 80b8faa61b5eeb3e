import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const PATH = "/callback";

/**
 * Listens on loopback for the browser that an authorization server sends back (RFC 8252 §7.3). Requests
 * with another `state` are refused and do not end the wait.
 */
export class LoopbackRedirect implements AsyncDisposable {
  readonly #server: Server;
  readonly #received: Promise<URLSearchParams>;

  private constructor(server: Server, state: string) {
    this.#server = server;
    this.#received = new Promise((resolve) => {
      server.on("request", (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
        const isAwaited = pathname === PATH && searchParams.get("state") === state;
        response
          .writeHead(isAwaited ? 200 : 400, { "content-type": "text/plain", connection: "close" })
          .end(isAwaited ? "Steward has the answer. You can close this page.\n" : "Not awaited.\n");
        if (isAwaited) resolve(searchParams);
      });
    });
  }

  /** @param port 0: any free port. */
  static async listen(port: number, state: string): Promise<LoopbackRedirect> {
    const server = createServer();
    const redirect = new LoopbackRedirect(server, state);
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return redirect;
  }

  get url(): string {
    // A server that listens on a port has this address.
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}${PATH}`;
  }

  /** The parameters of the redirect. @throws `signal.reason` when that is aborted. */
  async received(signal: AbortSignal): Promise<URLSearchParams> {
    const given = new AbortController();
    const end = once(signal, "abort", { signal: given.signal }).then(() => {
      throw signal.reason;
    });
    try {
      signal.throwIfAborted();
      return await Promise.race([this.#received, end]);
    } finally {
      given.abort();
      end.catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
