import { once } from "node:events";
import { connect as dial, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/**
 * A TCP proxy in front of a PostgreSQL server that cuts every connection at one statement, and
 * refuses new ones until it is healed: for the server it looks as if the client's process had been
 * killed there. Statements to another database, and those that only read or change settings, are
 * not counted, because a crash before such a statement is the same as one after it.
 */
export class StatementCutter implements AsyncDisposable {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** The database's URL without the proxy. */
  readonly target: string;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #left = Number.POSITIVE_INFINITY;
  #isCut = false;
  #awaited: { readonly statement: RegExp; readonly resolve: () => void } | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.target = target.href;
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

  /** Resolves when such a statement passes the proxy, or when the cut is healed. */
  seen(statement: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { statement, resolve };
    });
  }

  heal(): void {
    this.#awaited?.resolve();
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
    let isTarget: boolean | undefined;
    let pending = Buffer.alloc(0);
    client.on("data", (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        // The first message of a connection has no type, and contains the name of the database.
        const head = isTarget === undefined ? 0 : 1;
        if (pending.length < head + 4) return;
        const length = head + pending.readUInt32BE(head);
        if (pending.length < length) return;
        const message = pending.subarray(0, length);
        pending = pending.subarray(length);
        if (isTarget === undefined) {
          isTarget = message.includes(`database\0${this.#target.pathname.slice(1)}\0`);
        } else if (isTarget && this.#isCutAt(statementIn(message))) return;
        server.write(message);
      }
    });
    server.on("data", (bytes) => client.write(bytes));
  }

  /**
   * Counts a statement if it may change something. @returns whether the connections are cut at it.
   */
  #isCutAt(sql: string | undefined): boolean {
    if (sql === undefined || /^\s*(SELECT|SET|SHOW)\b/i.test(sql)) return this.#isCut;
    this.#left -= 1;
    if (this.#left < 0 && !this.#isCut) {
      this.#isCut = true;
      for (const socket of this.#sockets) socket.destroy();
    }
    if (!this.#isCut) this.#notice(sql);
    return this.#isCut;
  }

  #notice(sql: string): void {
    if (this.#awaited === undefined || !this.#awaited.statement.test(sql)) return;
    this.#awaited.resolve();
    this.#awaited = undefined;
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

/**
 * The statement of a simple query, or of an extended query's Parse message; undefined for other
 * messages.
 */
function statementIn(message: Buffer): string | undefined {
  const [type] = message.toString("latin1", 0, 1);
  const text = message.toString("utf8", 5);
  if (type === "Q") return text;
  return type === "P" ? text.slice(text.indexOf("\0") + 1) : undefined;
}
