import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import type { Server, Socket } from "node:net";
import type { RequestListener, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import { testTlsIdentity } from "../../../transport/testing/tls-identity.js";

/** A syslog receiver over TLS, which reads frames with octet counting (RFC 5425). */
export class SyslogReceiver implements AsyncDisposable {
  /** The messages of whole frames, in their order. */
  readonly messages: string[] = [];
  connections = 0;
  /** Whether a connection is broken after its first bytes. */
  isBroken = false;
  readonly #sockets = new Set<Socket>();
  readonly #server = createTlsServer(testTlsIdentity, (socket) => {
    this.connections += 1;
    this.#sockets.add(socket);
    let waiting: Buffer = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      if (this.isBroken) {
        socket.destroy();
        return;
      }
      waiting = this.#read(Buffer.concat([waiting, bytes]));
    });
  });

  static async listen(): Promise<SyslogReceiver> {
    const receiver = new SyslogReceiver();
    await listening(receiver.#server);
    return receiver;
  }

  get port(): number {
    return portOf(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @returns the bytes of an incomplete frame. */
  #read(bytes: Buffer): Buffer {
    let rest = bytes;
    for (;;) {
      const blank = rest.indexOf(" ");
      const length = Number(rest.subarray(0, Math.max(0, blank)).toString());
      if (blank < 0 || rest.length < blank + 1 + length) return rest;
      this.messages.push(rest.subarray(blank + 1, blank + 1 + length).toString());
      rest = rest.subarray(blank + 1 + length);
    }
  }
}

/** A request that a collector got. */
export interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a collector does with a request after it has read it. */
export type Answer = (answer: ServerResponse) => void;

/** An HTTP collector. */
export class Collector implements AsyncDisposable {
  readonly posted: Posted[] = [];
  /** The answers to the next requests; then all are accepted. */
  readonly answers: Answer[] = [];
  readonly #server: ReturnType<typeof createHttpServer>;

  constructor() {
    const listener: RequestListener = (request, answer) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        // A server that starts asks without events whether the collector answers.
        if (body === "") {
          accept(answer);
          return;
        }
        this.posted.push({ headers: request.headers, body });
        (this.answers.shift() ?? accept)(answer);
      });
    };
    this.#server = createHttpServer(listener);
  }

  static async listen(): Promise<Collector> {
    const collector = new Collector();
    await listening(collector.#server);
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${String(portOf(this.#server))}/events`;
  }

  /** The events of all requests, those of refused ones too. */
  get events(): readonly Readonly<Record<string, unknown>>[] {
    return this.posted.flatMap(({ body }) =>
      body
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Takes the events. */
export const accept: Answer = (answer) => answer.writeHead(202).end("ok");

/** Takes the events, and dies before its answer. */
export const die: Answer = (answer) => answer.socket?.destroy();

/** Never answers. */
export const hang: Answer = () => undefined;

/** Refuses with a status. */
export const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (answer) =>
    answer.writeHead(status, headers).end("x".repeat(100_000));

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it does not listen");
  return address.port;
}
