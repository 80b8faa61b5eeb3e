import { connect } from "node:net";
import { EventSource } from "eventsource";
import { describe, expect, it } from "vitest";
import { send, startRestServer, type TestRestServer } from "../testing/rest-server.js";

const deadlines = {
  headersMs: 5_000,
  requestMs: 5_000,
  keepAliveMs: 5_000,
  unreadMs: 5_000,
  checkMs: 100,
  heartbeatMs: 30,
};

/** Submits a plan of one step. */
async function submit(server: TestRestServer): Promise<string> {
  const { body } = await send(server, "POST /api/plans", { body: { steps: [{ id: "a" }] } });
  return (body.data as { plan_id: string }).plan_id;
}

/** The whole answer, once it has ended. */
async function read(server: TestRestServer, path: string, headers = {}): Promise<string> {
  return (await fetch(`${server.url}${path}`, { headers })).text();
}

function ids(stream: string): number[] {
  return [...stream.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

describe("GET /api/plans/:plan_id/events", () => {
  it("writes each event with its sequence, type and data, and ends with the plan", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    server.orchestrator.finish(id, "completed");
    const response = await fetch(`${server.url}/api/plans/${id}/events`);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const data = (sequence: number, event_type: string): string =>
      JSON.stringify({
        ...{ plan_id: id, event_type, payload_json: "{}" },
        ...{ timestamp: "2026-03-01T09:30:00.000Z", sequence },
      });
    expect(await response.text()).toBe(
      `retry: 1000\n\nid: 1\nevent: PlanCreated\ndata: ${data(1, "PlanCreated")}\n\n` +
        `id: 2\nevent: PlanCompleted\ndata: ${data(2, "PlanCompleted")}\n\n`,
    );
  });

  it("starts after the cursor, the header going before the query", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    server.orchestrator.pad(id, 2);
    server.orchestrator.finish(id, "failed");
    const path = `/api/plans/${id}/events`;
    expect(ids(await read(server, `${path}?after_sequence=2`))).toEqual([3, 4]);
    const header = { "last-event-id": "3" };
    expect(ids(await read(server, `${path}?after_sequence=0`, header))).toEqual([4]);
  });

  it("answers 204 to a reader who has seen the end", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    server.orchestrator.finish(id, "completed");
    const { status, body } = await send(server, `GET /api/plans/${id}/events?after_sequence=2`);
    expect([status, body]).toEqual([204, {}]);
  });

  it("answers errors as errors, before the stream begins", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const cases = [
      ["/api/plans/nobody/events", 404, "PLAN_NOT_FOUND"],
      [`/api/plans/${id}/events?after_sequence=9`, 400, "CURSOR_OUT_OF_RANGE"],
      [`/api/plans/${id}/events?after_sequence=-1`, 400, "INVALID_ARGUMENT"],
      [`/api/plans/${id}/events?after_sequence=x`, 400, "INVALID_ARGUMENT"],
    ] as const;
    for (const [path, status, code] of cases) {
      const answer = await send(server, `GET ${path}`);
      expect([answer.status, answer.body["code"]]).toEqual([status, code]);
    }
    const headers = { "last-event-id": "abc" };
    const answer = await send(server, `GET /api/plans/${id}/events`, { headers });
    expect([answer.status, answer.body["code"]]).toEqual([400, "INVALID_ARGUMENT"]);
  });

  it("shows signs of life while nothing happens", async () => {
    await using server = await startRestServer({ deadlines });
    const id = await submit(server);
    const { body } = await fetch(`${server.url}/api/plans/${id}/events`);
    let text = "";
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if ((text.match(/^: alive$/gm)?.length ?? 0) >= 2) break;
    }
    expect(text.match(/^: alive$/gm)).toHaveLength(2);
  });

  it("reaches an EventSource live, which then stays away by itself", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const source = new EventSource(`${server.url}/api/plans/${id}/events`);
    const seen: string[] = [];
    for (const type of ["PlanCreated", "PlanStepStarted", "PlanCompleted"]) {
      source.addEventListener(type, ({ lastEventId }) => seen.push(`${lastEventId} ${type}`));
    }
    await expect.poll(() => seen).toEqual(["1 PlanCreated"]);
    server.orchestrator.pad(id, 1);
    server.orchestrator.finish(id, "completed");
    await expect.poll(() => source.readyState).toBe(EventSource.CLOSED);
    expect(seen).toEqual(["1 PlanCreated", "2 PlanStepStarted", "3 PlanCompleted"]);
  });

  it("reads no further than a page ahead of a reader who does not read", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    server.orchestrator.pad(id, 50_000);
    const before = server.orchestrator.eventsRead;
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.write(`GET /api/plans/${id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const read = (): number => server.orchestrator.eventsRead - before;
    let last = -1;
    while (read() !== last) {
      last = read();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // The kernel's socket buffers are outside the server's control; a good part of the events must
    // remain unsent.
    expect(last).toBeLessThan(45_000);
    socket.destroy();
    await expect.poll(() => server.orchestrator.listeners(id)).toBe(0);
  });

  it("lets go of the plan when the reader leaves", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const leaving = new AbortController();
    await fetch(`${server.url}/api/plans/${id}/events`, { signal: leaving.signal });
    await expect.poll(() => server.orchestrator.listeners(id)).toBe(1);
    leaving.abort();
    await expect.poll(() => server.orchestrator.listeners(id)).toBe(0);
  });

  it("breaks off, and says why in the log, when the events cannot be read any more", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const stream = read(server, `/api/plans/${id}/events`);
    await expect.poll(() => server.orchestrator.listeners(id)).toBe(1);
    server.orchestrator.broken = new Error("disk gone");
    await expect(stream).rejects.toThrow();
    const line = server.lines.find(({ level }) => level === "error");
    expect(line).toMatchObject({ event: "event stream failed", fields: { planId: id } });
  });

  it("ends cleanly when the server closes", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const stream = read(server, `/api/plans/${id}/events`);
    await expect.poll(() => server.orchestrator.listeners(id)).toBe(1);
    await server.rest.close();
    expect(ids(await stream)).toEqual([1]);
  });

  it("has no HEAD, which would not end", async () => {
    await using server = await startRestServer();
    const id = await submit(server);
    const { status, headers } = await send(server, `HEAD /api/plans/${id}/events`);
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  });
});
