import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { constants, type ClientHttp2Session, type OutgoingHttpHeaders } from "node:http2";
import { describe, expect, it } from "vitest";
import { REQUEST_BYTES_MAX } from "../limits.js";
import { listen } from "../one-port/one-port.js";
import { startRestServer, type TestRestServer } from "../rest/testing/rest-server.js";
import { openHttp2, requested, type Http2Session } from "../testing/http2-client.js";
import { Http2Connections } from "./connections.js";
import { refuseGrpc } from "./refusals.js";

const deadlines = {
  headersMs: 300,
  requestMs: 300,
  keepAliveMs: 300,
  unreadMs: 5_000,
  checkMs: 50,
  heartbeatMs: 1_000,
};

const JSON_TYPE = { "content-type": "application/json" };
const SUBMIT = { ":method": "POST", ":path": "/api/plans", ...JSON_TYPE };

/** The REST server of the other tests, behind an HTTP/2 port. */
interface Http2Server extends AsyncDisposable {
  readonly rest: TestRestServer;
  readonly url: string;
  readonly session: Http2Session;
}

async function startHttp2(unreadMs = 10_000): Promise<Http2Server> {
  const rest = await startRestServer({ deadlines });
  const patience = {
    ...{ idleTimeoutMs: 10_000, keepaliveMs: 50, keepaliveTimeoutMs: 10_000, unreadMs },
  };
  const { http1, http2: otherStreams } = rest.rest;
  const http2 = new Http2Connections({ patience, otherStreams, grpcStreams: refuseGrpc });
  const listening = await listen({ http1, http2, host: "127.0.0.1", port: 0 });
  const url = `http://localhost:${String(listening.port)}`;
  const session = openHttp2(url);
  return {
    ...{ rest, url, session },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await listening.close(1000);
      await rest[Symbol.asyncDispose]();
    },
  };
}

async function answered(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Buffer,
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const answer = await requested(session, headers, bytes);
  const text = answer.body.toString();
  return { status: answer.headers[":status"], body: text === "" ? "" : JSON.parse(text) };
}

const planOf = (template: string): string =>
  JSON.stringify({ steps: [{ id: "a", query_template: template }] });

describe("an answer over HTTP/2", () => {
  it("that nobody takes is given up, though the connection lives; one that is not there yet is waited for", async () => {
    await using server = await startHttp2(200);
    // With an initial window of zero, no body is sent until the client opens the window.
    server.session.settings({ initialWindowSize: 0 });
    const unread = server.session.request({ ":path": "/healthz" });
    unread.on("error", () => undefined);
    await new Promise((resolve) => unread.once("close", resolve));
    expect(unread.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // Its answer comes after 300 ms, the time limit for the body.
    await using other = openHttp2(server.url);
    const waiting = other.request({ ...SUBMIT, "content-length": 10 });
    const [headers] = (await once(waiting, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(408);
  });
});

describe("REST over HTTP/2", () => {
  it("is the same as over HTTP/1.1, headers and errors included", async () => {
    await using server = await startHttp2();
    const created = await requested(server.session, SUBMIT, Buffer.from(planOf("SELECT 1")));
    expect(created.headers).toMatchObject({
      ":status": 201,
      location: "/api/plans/plan-1",
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(created.headers).toHaveProperty("x-request-id");
    expect(JSON.parse(created.body.toString())).toEqual({
      data: { plan_id: "plan-1", status: "pending" },
    });
    const read = await answered(server.session, { ":path": "/api/plans/plan-1" });
    expect(read).toMatchObject({ status: 200, body: { data: { plan_id: "plan-1" } } });
    const unknown = await answered(server.session, { ":path": "/api/nothing" });
    expect(unknown).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  it.each(["PROPFIND", "FETCH"])("tells the methods of a known path: %s", async (method) => {
    await using server = await startHttp2();
    const headers = { ":method": method, ":path": "/api/plans?x=1" };
    const answer = await requested(server.session, headers);
    expect(answer.headers).toMatchObject({ ":status": 405, allow: "GET, HEAD, POST" });
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
  });

  it("streams the events of a plan until the caller leaves", async () => {
    await using server = await startHttp2();
    await answered(server.session, SUBMIT, planOf("SELECT 1"));
    const stream = server.session.request({ ":path": "/api/plans/plan-1/events" });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await expect.poll(() => text).toContain("event: PlanCreated");
    expect(server.rest.orchestrator.listeners("plan-1")).toBe(1);
    stream.close();
    await expect.poll(() => server.rest.orchestrator.listeners("plan-1")).toBe(0);
  });

  it("ends the streams of events when it closes, and cuts no other request", async () => {
    await using server = await startHttp2();
    await answered(server.session, SUBMIT, planOf("wait"));
    const events = requested(server.session, { ":path": "/api/plans/plan-1/events" });
    const path = "/api/plans/plan-1/steps/a/execute";
    const step = answered(server.session, { ":method": "POST", ":path": path });
    await expect.poll(() => server.rest.orchestrator.waiting).toBe(1);
    await server.rest.rest.close();
    expect((await events).body.toString()).toContain("PlanCreated");
    server.rest.orchestrator.release();
    expect((await step).status).toBe(200);
  });

  it("believes only who addresses this machine by its own names", async () => {
    await using server = await startHttp2();
    for (const names of [
      { ":authority": "evil.example" },
      { ":authority": "evil.example", host: "localhost" },
    ]) {
      const answer = await answered(server.session, { ":path": "/api/plans", ...names });
      expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED" } });
    }
  });

  it("tells its rooms when the caller has gone", async () => {
    await using server = await startHttp2();
    await answered(server.session, SUBMIT, planOf("wait"));
    const path = "/api/plans/plan-1/steps/a/execute";
    const stream = server.session.request({ ":method": "POST", ":path": path });
    await expect.poll(() => server.rest.orchestrator.waiting).toBe(1);
    stream.close();
    await expect.poll(() => server.rest.lines.at(-1)?.fields["status"]).toBe("499");
    server.rest.orchestrator.release();
  });
});

describe("a limit of REST over HTTP/2", () => {
  it("is the time a body may take: 408, and the stream ends", async () => {
    await using server = await startHttp2();
    const stream = server.session.request(SUBMIT);
    stream.write("{");
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(408);
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(stream, "close");
    expect(JSON.parse(text)).toEqual({
      error: "The request took too long to arrive",
      code: "DEADLINE_EXCEEDED",
    });
    expect((await answered(server.session, { ":path": "/healthz" })).status).toBe(200);
  });

  it("is not the time of an answer, also when nobody has read the body", async () => {
    await using server = await startHttp2();
    await answered(server.session, SUBMIT, planOf("SELECT 1"));
    const stream = server.session.request(
      { ":path": "/api/plans/plan-1/events" },
      { endStream: false },
    );
    stream.end("unread");
    await once(stream, "response");
    stream.resume();
    const end = once(stream, "close").then(() => "closed");
    expect(await Promise.race([end, delay(2 * deadlines.requestMs, "open")])).toBe("open");
  });

  it("is the size of the headers, the same as over HTTP/1.1: 431", async () => {
    await using server = await startHttp2();
    const big = { ":path": "/healthz", x: "y".repeat(16 * 1024) };
    expect(await answered(server.session, big)).toMatchObject({
      status: 431,
      body: { code: "LIMIT_EXCEEDED" },
    });
  });

  it("is the size of the body, refused without a word of the connection", async () => {
    await using server = await startHttp2();
    const warnings: Error[] = [];
    const warned = (warning: Error): number => warnings.push(warning);
    process.on("warning", warned);
    const body = Buffer.alloc(REQUEST_BYTES_MAX + 1, " ");
    const declared = { ...SUBMIT, "content-length": body.length };
    for (const headers of [SUBMIT, declared]) {
      expect(await answered(server.session, headers, body)).toMatchObject({
        status: 413,
        body: { code: "LIMIT_EXCEEDED" },
      });
    }
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });

  it("is the number of requests at a time on one connection", async () => {
    await using server = await startHttp2();
    await once(server.session, "remoteSettings");
    expect(server.session.remoteSettings.maxConcurrentStreams).toBe(500);
  });

  it.each([
    ["CONNECT", { ":method": "CONNECT", ":authority": "localhost" }, 404],
    ["an unknown method", { ":method": "FETCH", ":path": "/nowhere" }, 404],
    ["another expectation", { ":path": "/healthz", expect: "200-maybe" }, 200],
  ])("concerns what a client may send: %s", async (_name, headers, status) => {
    await using server = await startHttp2();
    expect((await answered(server.session, headers)).status).toBe(status);
  });
});
