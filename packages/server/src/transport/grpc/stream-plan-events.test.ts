import { once } from "node:events";
import { status, type ClientReadableStream } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "./testing/bare-client.js";
import { startServer, type TestServer } from "./testing/grpc-server.js";

let server: TestServer;
let planId: string;
beforeEach(async () => {
  server = await startServer();
  const plan = await server.client.call("SubmitPlan", { steps: [{ step_id: "a" }] });
  planId = String(plan["plan_id"]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

function follow(request: Message = {}): ClientReadableStream<Message> {
  return server.client.stream("StreamPlanEvents", { plan_id: planId, ...request });
}

/** The sequences received until the stream ended. */
async function sequences(stream: ClientReadableStream<Message>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of stream) seen.push((event as Message)["sequence"]);
  return seen;
}

describe("StreamPlanEvents", () => {
  it("replays the log and ends with OK after the event that ends the plan", async () => {
    server.orchestrator.finish(planId, "completed");
    const stream = follow();
    const events: Message[] = [];
    stream.on("data", (event: Message) => events.push(event));
    const [ended] = (await once(stream, "status")) as [{ code: number }];
    expect(ended.code).toBe(status.OK);
    expect(events).toEqual([
      {
        plan_id: planId,
        event_type: "PlanCreated",
        payload_json: "{}",
        timestamp: "2026-03-01T09:30:00.000Z",
        sequence: 1,
      },
      expect.objectContaining({ event_type: "PlanCompleted", sequence: 2 }),
    ]);
  });

  it("goes on live", async () => {
    const stream = follow();
    await once(stream, "data");
    const rest = sequences(stream);
    server.orchestrator.pad(planId, 3);
    server.orchestrator.finish(planId, "failed");
    expect(await rest).toEqual([2, 3, 4, 5]);
  });

  it("starts after the cursor", async () => {
    server.orchestrator.finish(planId, "cancelled");
    expect(await sequences(follow({ after_sequence: 1 }))).toEqual([2]);
    expect(await sequences(follow({ after_sequence: 2 }))).toEqual([]);
  });

  it.each([
    [{ after_sequence: 2 }, status.OUT_OF_RANGE],
    [{ after_sequence: Number.MAX_SAFE_INTEGER }, status.OUT_OF_RANGE],
    [{ after_sequence: -1 }, status.INVALID_ARGUMENT],
    [{ plan_id: "nope" }, status.NOT_FOUND],
    [{ plan_id: "" }, status.INVALID_ARGUMENT],
  ])("refuses %j", async (request, code) => {
    await expect(sequences(follow(request))).rejects.toMatchObject({ code });
  });

  it("lets go of the plan when the caller cancels", async () => {
    const stream = follow();
    stream.on("error", () => undefined);
    await once(stream, "data");
    expect(server.orchestrator.listeners(planId)).toBe(1);
    stream.cancel();
    await expect.poll(() => server.orchestrator.listeners(planId)).toBe(0);
  });

  // 10 000 events are 700 kB on the wire, far more than all windows and buffers in between can
  // hold.
  it("reads no more of the log than a slow caller takes", async () => {
    server.orchestrator.pad(planId, 10_000);
    server.orchestrator.finish(planId, "completed");
    const stream = follow();
    await once(stream, "data");
    stream.pause();
    let read = -1;
    await expect
      .poll(
        () => {
          const before = read;
          read = server.orchestrator.eventsRead;
          return read === before;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(read).toBeLessThan(2500);
    expect(await sequences(stream)).toHaveLength(10_001);
  });

  it("ends with UNAVAILABLE when the server goes down, so that the caller resumes", async () => {
    const stream = follow();
    await once(stream, "data");
    const end = expect(sequences(stream)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    // Draining takes longer than the time limit of the test.
    await server.listening.close(60_000);
    await end;
  });
});
