import { createServer, connect, type AddressInfo, type Socket } from "node:net";

const READY = "Z".charCodeAt(0);
const ERROR = "E".charCodeAt(0);
const PARSE = "P".charCodeAt(0);
const BIND = "B".charCodeAt(0);

/**
 * A proxy between a client and PostgreSQL. Chosen statements end with XX000 although they have
 * taken effect, like a commit on a Citus coordinator that a node of the cluster has not confirmed.
 */
export class DoubtfulProxy implements AsyncDisposable {
  readonly url: string;
  readonly #close: () => Promise<void>;
  readonly #onStatement: (text: string) => void;
  #doubted: RegExp | undefined;

  private constructor(
    url: string,
    close: () => Promise<void>,
    onStatement: (text: string) => void,
  ) {
    this.#onStatement = onStatement;
    this.url = url;
    this.#close = close;
  }

  /**
   * @param url of the real database.
   * @param onStatement called with each statement that is sent.
   */
  static async start(
    url: string,
    onStatement: (text: string) => void = () => undefined,
  ): Promise<DoubtfulProxy> {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.setNoDelay();
        socket.on("error", () => socket.destroy());
      }
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      proxy.#join(client, upstream);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const own = new URL(url);
    // A server that listens on a port has an address.
    own.port = String((server.address() as AddressInfo).port);
    const proxy = new DoubtfulProxy(
      own.href,
      async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
      onStatement,
    );
    return proxy;
  }

  /** Makes the next statement with a matching text end in doubt. */
  doubtNext(statement: RegExp): void {
    this.#doubted = statement;
  }

  /** Whether such a statement is still awaited. */
  get isDoubting(): boolean {
    return this.#doubted !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #join(client: Socket, upstream: Socket): void {
    const texts = new Map<string, string>();
    let text = "";
    const toServer = messages((message, type) => {
      if (type === PARSE) {
        const [name = "", sql = ""] = strings(message);
        texts.set(name, sql);
        this.#onStatement(sql);
      }
      if (type === BIND) text = texts.get(strings(message)[1] ?? "") ?? "";
      upstream.write(message);
    }, true);
    let hasFailed = false;
    const toClient = messages((message, type) => {
      if (type === ERROR) hasFailed = true;
      if (type === READY) {
        if (!hasFailed && this.#doubted?.test(text) === true) {
          this.#doubted = undefined;
          client.write(internalError());
        }
        hasFailed = false;
      }
      client.write(message);
    }, false);
    client.on("data", toServer);
    upstream.on("data", toClient);
  }
}

/**
 * Calls back with each whole message of a stream. @param hasStartup whether the first message has
 * no type.
 */
function messages(
  onMessage: (message: Buffer, type: number) => void,
  hasStartup: boolean,
): (chunk: Buffer) => void {
  let waiting = Buffer.alloc(0);
  let typeBytes = hasStartup ? 0 : 1;
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= typeBytes + 4) {
      const end = typeBytes + waiting.readInt32BE(typeBytes);
      if (waiting.length < end) return;
      onMessage(waiting.subarray(0, end), typeBytes === 0 ? 0 : (waiting[0] ?? 0));
      waiting = waiting.subarray(end);
      typeBytes = 1;
    }
  };
}

/** The strings at the start of a message. */
function strings(message: Buffer): readonly string[] {
  return message.subarray(5).toString("latin1").split("\0", 2);
}

function internalError(): Buffer {
  const message = "could not commit transaction for shard 102008 on at least one active node";
  const fields = Buffer.from(`SERROR\0VERROR\0CXX000\0M${message}\0\0`);
  const header = Buffer.alloc(5);
  header.writeUInt8(ERROR);
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}
