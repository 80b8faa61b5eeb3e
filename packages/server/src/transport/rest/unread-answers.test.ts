import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { UnreadAnswers } from "./unread-answers.js";

/** More than the buffers of both sockets hold. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024);

/** A server with a large answer at `/much`, and no answer at other paths. */
async function serving<T>(bytesPerS: number, ask: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(({ url }, response) => {
    if (url === "/much") response.end(ANSWER);
  });
  const unread = new UnreadAnswers(server, { unreadMs: 200, checkMs: 20, bytesPerS });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await ask((server.address() as AddressInfo).port);
  } finally {
    unread[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  }
}

/** Sends a request, and reads nothing. */
function ask(port: number, path: string): Socket {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => undefined).write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

describe("a connection that takes nothing of an answer", () => {
  it("is closed, though it goes on sending", () =>
    serving(1e9, async (port) => {
      const socket = ask(port, "/much");
      // A client that does not read notices the end only when it writes.
      const sending = setInterval(() => socket.write("\r\n"), 20);
      await new Promise((resolve) => socket.once("close", resolve));
      clearInterval(sending);
    }));

  it("is not what waits for an answer, or takes it slowly", () =>
    serving(1e5, async (port) => {
      const waiting = ask(port, "/never");
      const slow = ask(port, "/much");
      let taken = 0;
      slow.on("data", (bytes: Buffer) => {
        taken += bytes.length;
        slow.pause();
        setTimeout(() => slow.resume(), 1);
      });
      slow.resume();
      await expect.poll(() => taken).toBeGreaterThan(ANSWER.length / 2);
      expect([waiting.closed, slow.closed]).toEqual([false, false]);
      waiting.destroy();
      slow.destroy();
    }));
});
