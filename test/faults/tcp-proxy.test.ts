import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TcpProxy } from "./tcp-proxy.js";

/** Random choices of `trouble`, in order: whether, which fault, and in which direction. */
const [CUT, HALF_CLOSE, STALL] = [0, 0.4, 0.9];
const [THERE, BACK] = [0, 0.9];

describe("the proxy between a server and its database", () => {
  let listener: Server;
  let proxy: TcpProxy;
  let client: Socket;
  let server: Socket;
  beforeEach(async () => {
    listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    proxy = await TcpProxy.start((listener.address() as AddressInfo).port);
    const accepted = once(listener, "connection");
    client = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
    [server] = (await accepted) as [Socket];
    client.write("1");
    await once(server, "data");
  });
  afterEach(async () => {
    client.destroy();
    server.destroy();
    await proxy[Symbol.asyncDispose]();
    listener.close();
  });

  it("cuts a connection at both ends", async () => {
    const ended = Promise.all([once(client, "end"), once(server, "end")]);
    client.resume();
    server.resume();
    proxy.trouble(1, sequence(0, CUT));
    await ended;
  });

  it.each([
    ["the one that connected", THERE, () => client],
    ["the one that was connected to", BACK, () => server],
  ])("tells %s that no more will come", async (_name, side, end) => {
    const ended = once(end(), "end");
    end().resume();
    proxy.trouble(1, sequence(0, HALF_CLOSE, side));
    await ended;
    expect(end().writable).toBe(true);
  });

  it.each([
    ["there", THERE, () => [client, server] as const],
    ["back", 0.4, () => [server, client] as const],
  ])("delays what goes %s, and loses and doubles nothing", async (_name, direction, ends) => {
    const [from, to] = ends();
    let received = "";
    to.on("data", (bytes) => (received += bytes.toString()));
    proxy.trouble(1, sequence(0, STALL, direction, 0.5));
    const startedAt = performance.now();
    for (const text of ["a", "b", "c"]) from.write(text);
    await expect.poll(() => received, { interval: 5 }).toBe("abc");
    expect(performance.now() - startedAt).toBeGreaterThan(100);
    // The other direction is not affected, and this one stays open.
    from.write("d");
    await expect.poll(() => received).toBe("abcd");
  });

  it("leaves alone what chance does", async () => {
    proxy.trouble(0.5, sequence(0.5));
    client.write("2");
    const [bytes] = (await once(server, "data")) as [Buffer];
    expect(bytes.toString()).toBe("2");
  });
});

/** A random source with these values, in order. */
function sequence(...values: readonly number[]): () => number {
  const left = [...values];
  return () => left.shift() ?? 0;
}
