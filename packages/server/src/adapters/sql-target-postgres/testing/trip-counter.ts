import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A relay to a PostgreSQL server that counts how often a client sends after the server has answered. */
export class TripCounter implements AsyncDisposable {
  readonly url: string;
  trips = 0;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** @param url of the real database. */
  static async start(url: string): Promise<TripCounter> {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const relay = createServer((client) => {
      const server = connect(Number(port), hostname);
      let hasAnswered = true;
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.setNoDelay();
        socket.on("error", () => socket.destroy());
      }
      client.on("data", (chunk) => {
        if (hasAnswered) counter.trips += 1;
        hasAnswered = false;
        server.write(chunk);
      });
      server.on("data", (chunk) => {
        hasAnswered = true;
        client.write(chunk);
      });
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const own = new URL(url);
    // A server that listens on a port has an address.
    own.port = String((relay.address() as AddressInfo).port);
    const counter = new TripCounter(own.href, async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    });
    return counter;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
