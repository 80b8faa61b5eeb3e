import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The message of every error, which has none of PostgreSQL's English words and no name. */
export const FOREIGN_MESSAGE = "この文は実行できません";

/**
 * A server in front of PostgreSQL whose errors have the fields that the server gives them, and a message in another
 * language: what a server with another `lc_messages` answers, and less, since translated messages have names.
 */
export async function foreignMessages(
  databaseUrl: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // Messages are passed on one by one; none waits for the acknowledgement of the one before it.
      socket.setNoDelay();
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    let rest = Buffer.alloc(0);
    upstream.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const end = 1 + rest.readUInt32BE(1);
        client.write(translated(rest.subarray(0, end)));
        rest = rest.subarray(end);
      }
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(databaseUrl);
  // A listening server has an address.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A message of the protocol; ErrorResponse has fields, each of a letter and a text with a NUL (PostgreSQL manual, §53.8). */
function translated(message: Buffer): Buffer {
  if (message[0] !== "E".charCodeAt(0)) return message;
  const fields = message
    .toString("utf8", 5)
    .split("\0")
    .filter((field) => field !== "");
  const said = fields.map((field) => (field.startsWith("M") ? `M${FOREIGN_MESSAGE}` : field));
  const body = Buffer.from(`${said.join("\0")}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
