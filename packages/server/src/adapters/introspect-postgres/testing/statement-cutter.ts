import { once } from "node:events";
import { connect as dial, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/**
 * A TCP proxy in front of a PostgreSQL server that cuts every connection at one statement, and lets no new
 * one through until it is healed: to the server it is as if the client's process had been killed there.
 */
export class StatementCutter implements AsyncDisposable {
  /** The database's address through the proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #left = Number.POSITIVE_INFINITY;
  #isCut = false;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    const url = new URL(target);
    url.hostname = "127.0.0.1";
    // The server listens on TCP.
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
    server.on("connection", (client) => this.#forward(client));
  }

  static async open(url: string): Promise<StatementCutter> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StatementCutter(server, new URL(url));
  }

  /** Whether the cut has happened. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Cuts at the `statement`th statement from now on, from 0, before the server has seen it. */
  arm(statement: number): void {
    this.#left = statement;
    this.#isCut = false;
  }

  heal(): void {
    this.#left = Number.POSITIVE_INFINITY;
    this.#isCut = false;
  }

  #forward(client: Socket): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const server = dial(Number(this.#target.port), this.#target.hostname);
    this.#pair(client, server);
    this.#pair(server, client);
    let isStarted = false;
    let pending = Buffer.alloc(0);
    client.on("data", (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        // The first message of a connection has no type.
        const head = isStarted ? 1 : 0;
        if (pending.length < head + 4) return;
        const length = head + pending.readUInt32BE(head);
        if (pending.length < length) return;
        const message = pending.subarray(0, length);
        pending = pending.subarray(length);
        // Q: a simple query; P: the parsing of an extended one.
        if (isStarted && "QP".includes(String.fromCharCode(message[0] ?? 0)) && this.#count())
          return;
        isStarted = true;
        server.write(message);
      }
    });
    server.on("data", (bytes) => client.write(bytes));
  }

  /** Counts a statement. @returns whether it is the one to be cut at. */
  #count(): boolean {
    this.#left -= 1;
    if (this.#left >= 0) return this.#isCut;
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
    return true;
  }

  #pair(one: Socket, other: Socket): void {
    this.#sockets.add(one);
    one.on("error", () => undefined);
    one.on("close", () => {
      this.#sockets.delete(one);
      other.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
