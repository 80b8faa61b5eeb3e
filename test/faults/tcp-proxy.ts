import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** One connection through the proxy: its client side and its server side. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isStalled: boolean;
}

/** A fault of a connection. */
type ConnectionFault = "cut" | "half-close" | "stall";
const MISCHIEF: readonly ConnectionFault[] = ["cut", "half-close", "stall"];
/** Maximum duration of a stall, in ms. */
const STALL_MS_MAX = 300;

/** Stands between a client and a server, and troubles their connections. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();

  private constructor(listener: Server) {
    this.#listener = listener;
  }

  /** @param host where connections are forwarded to. */
  static async start(port: number, host = "127.0.0.1"): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener);
    listener.on("connection", (client) => {
      proxy.#forward(client, { host, port });
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Injects a fault into each connection with this probability. @param random in [0, 1). */
  trouble(probability: number, random: () => number): void {
    for (const pair of this.#pairs) {
      if (random() < probability) disturb(pair, random);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve));
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    await closed;
  }

  #forward(client: Socket, address: { readonly host: string; readonly port: number }): void {
    const server = connect(address);
    const pair: Pair = { client, server, isStalled: false };
    this.#pairs.add(pair);
    const drop = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", drop);
      socket.on("close", drop);
    }
    client.pipe(server);
    server.pipe(client);
  }
}

function disturb(pair: Pair, random: () => number): void {
  const { client, server } = pair;
  switch (MISCHIEF[Math.floor(random() * MISCHIEF.length)]) {
    case "cut":
      client.destroy();
      server.destroy();
      return;
    case "half-close":
      // One side learns that the other will send nothing more.
      (random() < 0.5 ? client : server).end();
      return;
    default:
      // Piping twice would duplicate data, which no network does.
      if (pair.isStalled) return;
      pair.isStalled = true;
      stall(directionsOf(pair, random()), random() * STALL_MS_MAX, () => {
        pair.isStalled = false;
      });
  }
}

type Direction = readonly [from: Socket, to: Socket];

/** One direction or both. @param choice in [0, 1). */
function directionsOf({ client, server }: Pair, choice: number): readonly Direction[] {
  const [there, back]: readonly [Direction, Direction] = [
    [client, server],
    [server, client],
  ];
  const choices = [[there], [back], [there, back]];
  return choices[Math.floor(choice * choices.length)] ?? [];
}

function stall(directions: readonly Direction[], ms: number, onOver: () => void): void {
  for (const [from, to] of directions) from.unpipe(to);
  setTimeout(() => {
    for (const [from, to] of directions) from.pipe(to);
    onOver();
  }, ms);
}
