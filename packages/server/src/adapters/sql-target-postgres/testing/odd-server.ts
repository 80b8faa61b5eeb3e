import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { ODD_ANSWERS } from "../../testing/odd-answers.js";

/** Invalid messages, which no PostgreSQL server would send, and when to send them. */
export interface OddMessages {
  /** Instead of the greeting, or as the answer to the first request. */
  readonly at: "greeting" | "answer";
  readonly bytes: Buffer;
}

/** Message types of a server (PostgreSQL manual, §54.7), and two unknown types. */
const TYPES = Array.from("RKSZTDCENAst123nIGHWdcvV!\0");
/** AuthenticationOk, BackendKeyData, ReadyForQuery. */
const GREETING = Buffer.concat([
  message("R", int32(0)),
  message("K", Buffer.concat([int32(1), int32(2)])),
  message("Z", Buffer.from("I")),
]);

/**
 * Messages of every type with arbitrary content, and correct or wrong lengths; equal for equal
 * seeds.
 */
export function oddMessages(seed: number): readonly OddMessages[] {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    // Plausible numbers for a count, a length or a kind of authentication.
    fc
      .array(fc.constantFrom(-1, 0, 1, 2, 3, 5, 9, 10, 11, 12, 65_537, 2_147_483_647), {
        maxLength: 5,
      })
      .map((numbers) => Buffer.concat(numbers.map(int32))),
  );
  const one = fc
    .tuple(
      fc.constantFrom(...TYPES),
      payload,
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        fc.constantFrom(0, 1, 3, 4, 5, 1_000_000, 4_294_967_295),
      ),
    )
    .map(([type, body, length]) => message(type, body, length));
  const bytes = fc.array(one, { minLength: 1, maxLength: 4 }).map((list) => Buffer.concat(list));
  const at = fc.constantFrom<OddMessages["at"]>("greeting", "answer");
  return fc.sample(fc.record({ at, bytes }), { numRuns: ODD_ANSWERS, seed });
}

/** Answers every connection with the given messages, then closes it. */
export class OddPostgresServer implements AsyncDisposable {
  odd: OddMessages = { at: "greeting", bytes: Buffer.alloc(0) };
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  static async start(): Promise<OddPostgresServer> {
    const server = new OddPostgresServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `postgres://agent:secret@127.0.0.1:${String(port)}/shop`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    const { at, bytes } = this.odd;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (at === "greeting") socket.end(bytes);
      else {
        socket.write(GREETING);
        socket.once("data", () => socket.end(bytes));
      }
    });
  }
}

function message(type: string, body: Buffer, length: number = body.length + 4): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
