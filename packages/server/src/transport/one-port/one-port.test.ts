import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { get as getHttps } from "node:https";
import { createServer as createHttpServer, get, Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { BareClient } from "../grpc/testing/bare-client.js";
import { startServer, type TestServer } from "../grpc/testing/grpc-server.js";
import { listen } from "./one-port.js";
import { openHttp2, requested } from "../testing/http2-client.js";
import { testTlsIdentity } from "../testing/tls-identity.js";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** An empty SETTINGS frame and its acknowledgement (RFC 9113 §6.5). */
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const SETTINGS_ACK = Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0]);

/** The method of the health service, and an empty message in gRPC's framing. */
const CHECK = "/grpc.health.v1.Health/Check";
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Longer than the time limit of a test, in ms. */
const DRAIN_MS_NEVER = 60_000;

function open(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined);
  return socket;
}

/** Everything the server sends until it closes, or until this text has arrived. */
async function received(socket: Socket, until?: Buffer): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    if (until !== undefined && bytes.includes(until)) break;
  }
  return bytes;
}

async function writeByteByByte(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await delay(1);
  }
}

/**
 * Resolves when the server has closed the connection. All timeouts that a test does not set are
 * longer than its time limit.
 */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  await once(socket, "close");
}

async function body(port: number, path = "/", agent?: Agent): Promise<string> {
  const request = get({ port, host: "127.0.0.1", path, ...(agent && { agent }) });
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
  return text(response);
}

async function speaksGrpc({ client }: TestServer): Promise<boolean> {
  return (await client.call("Check", {}))["status"] === "SERVING";
}

describe("one port", () => {
  it("carries gRPC and HTTP/1.1", async () => {
    await using server = await startServer();
    expect(await speaksGrpc(server)).toBe(true);
    expect(await body(server.port)).toBe("over HTTP/1.1");
  });

  it("tells them apart when the first bytes come one by one", async () => {
    await using server = await startServer();
    const http2 = open(server.port);
    await writeByteByByte(http2, Buffer.concat([PREFACE, SETTINGS]));
    expect((await received(http2, SETTINGS_ACK)).includes(SETTINGS_ACK)).toBe(true);
    const http1 = open(server.port);
    await writeByteByByte(
      http1,
      Buffer.from("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
    );
    expect((await received(http1)).toString()).toContain("over HTTP/1.1");
  });

  it("takes what only looks like HTTP/2 for HTTP/1.1", async () => {
    await using server = await startServer();
    const socket = open(server.port);
    socket.write("PRINT / HTTP/1.1\r\n\r\n");
    expect((await received(socket)).toString()).toContain("400 Bad Request");
  });

  it.each(["", "PRI * HT"])("closes a connection that says only %j", async (said) => {
    await using server = await startServer({ helloTimeoutMs: 100 });
    const socket = open(server.port);
    socket.write(said);
    await closed(socket);
  });

  it("closes a connection that ends before it has said what it speaks", async () => {
    await using server = await startServer();
    const socket = open(server.port);
    socket.end("PRI");
    await closed(socket);
  });

  it("carries gRPC and REST side by side on one HTTP/2 connection", async () => {
    await using server = await startServer();
    await using session = openHttp2(`http://127.0.0.1:${String(server.port)}`);
    const health = { "content-type": "application/grpc", te: "trailers" };
    const [rest, grpc, again] = await Promise.all([
      requested(session, { ":path": "/" }),
      requested(session, { ":method": "POST", ":path": CHECK, ...health }, EMPTY_MESSAGE),
      requested(session, { ":method": "POST", ":path": "/slow" }, Buffer.from("{}")),
    ]);
    expect([rest.body.toString(), again.body.toString()]).toEqual([
      "over HTTP/2.0",
      "over HTTP/2.0",
    ]);
    expect(grpc.headers["content-type"]).toBe("application/grpc+proto");
    expect(grpc.trailers["grpc-status"]).toBe("0");
  });

  it("carries REST over HTTP/2 under TLS", async () => {
    await using server = await startServer({ tls: testTlsIdentity });
    await using session = openHttp2(`https://localhost:${String(server.port)}`);
    expect((await requested(session, { ":path": "/" })).body.toString()).toBe("over HTTP/2.0");
    expect(await speaksGrpc(server)).toBe(true);
  });

  it("carries both under TLS, told apart by ALPN", async () => {
    await using server = await startServer({ tls: testTlsIdentity });
    expect(await speaksGrpc(server)).toBe(true);
    const request = getHttps({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
    const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
    expect(await text(response)).toBe("over HTTP/1.1");
    request.destroy();
  });

  it("closes a connection that does not shake hands under TLS", async () => {
    await using server = await startServer({ tls: testTlsIdentity, helloTimeoutMs: 100 });
    await closed(open(server.port));
  });
});

describe("two ports", () => {
  it.each([undefined, testTlsIdentity])("carry REST and gRPC, each on its own", async (tls) => {
    await using server = await startServer({ split: true, ...(tls && { tls }) });
    const { port, grpcPort } = server.listening;
    const scheme = tls === undefined ? "http" : "https";
    expect(grpcPort).not.toBe(port);
    expect(await speaksGrpc(server)).toBe(true);
    await using session = openHttp2(`${scheme}://localhost:${String(port)}`);
    expect((await requested(session, { ":path": "/" })).body.toString()).toBe("over HTTP/2.0");
  });

  it("refuse what the other one serves, and say where it is", async () => {
    await using server = await startServer({ split: true });
    const { port, grpcPort } = server.listening;
    expect(await body(port)).toBe("over HTTP/1.1");
    await expect(body(grpcPort)).rejects.toThrow();
    const stranger = new BareClient(port);
    await expect(stranger.call("Check", {})).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
      details: "This port serves REST only (SERVICE_PORT); gRPC is on SERVICE_GRPC_PORT",
    });
    stranger.close();
    await using session = openHttp2(`http://127.0.0.1:${String(grpcPort)}`);
    const refusal = await requested(session, { ":method": "POST", ":path": "/" }, Buffer.alloc(9));
    expect(refusal.headers[":status"]).toBe(415);
    expect(JSON.parse(refusal.body.toString())).toEqual({
      error: "This port serves gRPC only (SERVICE_GRPC_PORT); REST is on SERVICE_PORT",
      code: "INVALID_ARGUMENT",
    });
  });
});

describe("a port that cannot be opened", () => {
  it("is named, and leaves none open", async () => {
    await using server = await startServer();
    const free = await startServer();
    const { port } = free;
    await free[Symbol.asyncDispose]();
    const unused = { accept: () => undefined, close: () => Promise.resolve() };
    const host = "127.0.0.1";
    const grpc = { http2: unused, port: server.port };
    const options = { http1: createHttpServer(), http2: unused, grpc, host, port };
    await expect(listen(options)).rejects.toThrow(
      `Cannot listen on port ${String(server.port)} of 127.0.0.1: it is in use`,
    );
    await expect(body(port)).rejects.toThrow();
  });
});

describe("closing", () => {
  it("closes what is idle at once", async () => {
    const server = await startServer();
    const agent = new Agent({ keepAlive: true });
    await body(server.port, "/", agent);
    await speaksGrpc(server);
    const silent = open(server.port);
    await once(silent, "connect");
    await server.listening.close(DRAIN_MS_NEVER);
    agent.destroy();
    server.client.close();
  });

  it("lets what is under way finish, and takes nothing new", async () => {
    const server = await startServer();
    const slow = body(server.port, "/slow");
    const plan = await server.client.call("SubmitPlan", {
      steps: [{ step_id: "a", query_template: "wait" }],
    });
    const step = server.client.call("ExecuteStep", { plan_id: plan["plan_id"], step_id: "a" });
    await expect.poll(() => server.orchestrator.waiting).toBe(1);
    const closing = server.listening.close(5000);
    await expect(body(server.port)).rejects.toThrow();
    server.orchestrator.release();
    expect(await step).toMatchObject({ success: true });
    expect(await slow).toBe("over HTTP/1.1");
    await closing;
    server.client.close();
  });

  it("lets REST over HTTP/2 finish", async () => {
    const server = await startServer();
    await using session = openHttp2(`http://127.0.0.1:${String(server.port)}`);
    const slow = requested(session, { ":path": "/slow" });
    await requested(session, { ":path": "/" });
    await server.listening.close(5000);
    expect((await slow).body.toString()).toBe("over HTTP/2.0");
    server.client.close();
  });

  it("cuts what does not finish within the drain time", async () => {
    const server = await startServer();
    const hanging = body(server.port, "/hang").catch(() => "cut");
    const plan = await server.client.call("SubmitPlan", {
      steps: [{ step_id: "a", query_template: "wait" }],
    });
    const step = server.client.call("ExecuteStep", { plan_id: plan["plan_id"], step_id: "a" });
    const outcome = step.catch(() => "cut");
    await expect.poll(() => server.orchestrator.waiting).toBe(1);
    await server.listening.close(200);
    expect([await hanging, await outcome]).toEqual(["cut", "cut"]);
    server.client.close();
  });
});

describe("the connections of one address", () => {
  it("are closed as they come when there are too many, until one of them is closed", async () => {
    await using server = await startServer({ peerConnectionsMax: 2 });
    const kept = [open(server.port), open(server.port)];
    for (const socket of kept) await once(socket, "connect");
    await closed(open(server.port));
    kept[0]?.destroy();
    await expect.poll(() => body(server.port).catch(() => "refused")).toBe("over HTTP/1.1");
    for (const socket of kept) socket.destroy();
  });

  it("are not limited when a trusted proxy has the address", async () => {
    const trustedProxies = ["127.0.0.1"];
    await using server = await startServer({ peerConnectionsMax: 1, trustedProxies });
    const kept = open(server.port);
    await once(kept, "connect");
    expect(await body(server.port)).toBe("over HTTP/1.1");
    kept.destroy();
  });
});

describe("an HTTP/2 connection", () => {
  it("is closed when its other end answers no ping", async () => {
    await using server = await startServer({
      patience: { keepaliveMs: 100, keepaliveTimeoutMs: 100 },
    });
    const socket = open(server.port);
    socket.write(PREFACE);
    await closed(socket);
  });

  it("is closed when nobody calls over it", async () => {
    await using server = await startServer({ patience: { idleTimeoutMs: 200 } });
    const session = connectHttp2(`http://127.0.0.1:${String(server.port)}`);
    await once(session, "close");
  });

  it("that floods streams with empty data before their turn ends alone", async () => {
    // Node ends the connection with ERR_HTTP2_TOO_MANY_INVALID_FRAMES, and destroys streams that the
    // server has not begun to serve. An error that nobody handles would fail this run.
    await using server = await startServer();
    const ids = Array.from({ length: 50 }, (_, index) => 1 + 2 * index);
    // END_HEADERS, with POST, http and / of the static table (RFC 7541, appendix A), and an :authority.
    const block = [0x83, 0x86, 0x84, 1, 1, 0x61];
    const opened = ids.map((id) => Buffer.from([0, 0, block.length, 1, 4, 0, 0, 0, id, ...block]));
    const emptyData = ids.map((id) => Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, id]));
    const flood = Array.from({ length: 100 }, () => emptyData).flat();
    const socket = open(server.port);
    socket.write(Buffer.concat([PREFACE, SETTINGS, ...opened, ...flood]));
    await closed(socket);
    expect(await speaksGrpc(server)).toBe(true);
  });

  it("stays open while REST is under way on it, and no longer", async () => {
    await using server = await startServer({ patience: { idleTimeoutMs: 100 } });
    await using session = openHttp2(`http://127.0.0.1:${String(server.port)}`);
    const isClosed = once(session, "close");
    await requested(session, { ":path": "/slow" });
    // Would be refused if the connection had been closed as idle in the meantime.
    expect((await requested(session, { ":path": "/" })).headers[":status"]).toBe(200);
    await isClosed;
  });

  it("is closed when its other end has ended its side", async () => {
    await using server = await startServer();
    const socket = open(server.port);
    socket.write(Buffer.concat([PREFACE, SETTINGS]));
    await once(socket, "data");
    socket.end();
    await closed(socket);
  });
});
