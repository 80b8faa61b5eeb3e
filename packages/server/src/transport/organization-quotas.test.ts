import { once } from "node:events";
import { status, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./grpc/testing/grpc-server.js";
import type { QuotaLimits } from "./organization-quotas.js";
import { send, startRestServer, type TestRestServer } from "./rest/testing/rest-server.js";

const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

let rest: TestRestServer;
let grpc: TestServer;
afterEach(async () => {
  await rest[Symbol.asyncDispose]();
  await grpc[Symbol.asyncDispose]();
});

/** Servers for both protocols, each with its own services. */
async function start(quotas: Partial<QuotaLimits>): Promise<void> {
  rest = await startRestServer({ quotas });
  grpc = await startServer({ quotas });
}

/** Submits a plan whose steps wait for the test. */
async function submitOverRest(): Promise<string> {
  const steps = ["a", "b"].map((id) => ({ id, tool_name: "sql", query_template: "wait" }));
  const { body } = await send(rest, "POST /api/plans", { body: { steps } });
  return (body.data as { plan_id: string }).plan_id;
}

async function submitOverGrpc(): Promise<string> {
  const steps = ["a", "b"].map((step_id) => ({ step_id, query_template: "wait" }));
  return String((await grpc.client.call("SubmitPlan", { steps }))["plan_id"]);
}

const REFUSED = { code: status.RESOURCE_EXHAUSTED };

describe("an organization that sends too many requests", () => {
  it("is told over REST how long to wait, and others are served", async () => {
    await start({ requestsPerSecond: 1 });
    expect((await send(rest, "GET /api/plans")).status).toBe(200);
    const refused = await send(rest, "GET /api/plans");
    expect(refused).toMatchObject({ status: 429, body: { code: "QUOTA_EXCEEDED" } });
    expect(refused.headers.get("retry-after")).toBe("1");
    const headers = { "x-org-id": OTHER_ORG };
    expect((await send(rest, "GET /api/plans", { headers })).status).toBe(200);
    for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
      expect((await fetch(`${rest.url}${path}`)).status).toBe(200);
    }
  });

  it("is refused with RESOURCE_EXHAUSTED over gRPC, before the request is read", async () => {
    await start({ requestsPerSecond: 1 });
    await grpc.client.call("ListPlans", {});
    await expect(grpc.client.call("ListPlans", { limit: 100_000 })).rejects.toMatchObject(REFUSED);
    const metadata = { "x-org-id": OTHER_ORG };
    await grpc.client.call("ListPlans", {}, { metadata });
    for (let probes = 0; probes < 3; probes += 1) await grpc.client.call("Check", {});
  });
});

describe("an organization that has too many steps under way", () => {
  it("has the next one refused over REST until one has ended", async () => {
    await start({ stepsMax: 1 });
    const path = `POST /api/plans/${await submitOverRest()}/steps`;
    const first = send(rest, `${path}/a/execute`);
    await expect.poll(() => rest.orchestrator.waiting).toBe(1);
    const refused = await send(rest, `${path}/b/execute`);
    expect(refused).toMatchObject({ status: 429, body: { code: "QUOTA_EXCEEDED" } });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await send(rest, "GET /api/plans")).status).toBe(200);
    rest.orchestrator.release();
    expect((await first).status).toBe(200);
    // The answer arrives a moment before the request has ended.
    await expect.poll(async () => (await send(rest, `${path}/a/execute`)).status).toBe(200);
  });

  it("has the next one refused over gRPC until the caller of one has gone", async () => {
    await start({ stepsMax: 1 });
    const planId = await submitOverGrpc();
    const request = { plan_id: planId, step_id: "a" };
    let end: (error: ServiceError | null) => void = () => undefined;
    const ended = new Promise<ServiceError | null>((resolve) => (end = resolve));
    const call = grpc.client.start("ExecuteStep", request, {}, end);
    await expect.poll(() => grpc.orchestrator.waiting).toBe(1);
    const second = grpc.client.call("ExecuteStep", { ...request, step_id: "b" });
    await expect(second).rejects.toMatchObject(REFUSED);
    call.cancel();
    expect(await ended).toMatchObject({ code: status.CANCELLED });
    await expect
      .poll(() => grpc.client.call("ExecuteStep", { ...request, step_id: "z" }))
      .toMatchObject({ error_code: "STEP_NOT_FOUND" });
  });
});

describe("an organization that has too many event streams open", () => {
  it("has the next one refused over REST until one is closed", async () => {
    await start({ streamsMax: 1 });
    const path = `/api/plans/${await submitOverRest()}/events`;
    const closing = new AbortController();
    const first = await fetch(`${rest.url}${path}`, { signal: closing.signal });
    expect(first.status).toBe(200);
    expect(await send(rest, `GET ${path}`)).toMatchObject({
      status: 429,
      body: { code: "QUOTA_EXCEEDED" },
    });
    closing.abort();
    const again = async (): Promise<number> => {
      const response = await fetch(`${rest.url}${path}`);
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(again).toBe(200);
  });

  it("has the next one refused over gRPC until one is closed", async () => {
    await start({ streamsMax: 1 });
    const request = { plan_id: await submitOverGrpc() };
    const first = grpc.client.stream("StreamPlanEvents", request);
    first.on("error", () => undefined);
    await once(first, "data");
    const refusal = grpc.client.stream("StreamPlanEvents", request);
    await expect(once(refusal, "data")).rejects.toMatchObject(REFUSED);
    first.cancel();
    await expect
      .poll(async () => {
        const stream = grpc.client.stream("StreamPlanEvents", request);
        const [event] = (await once(stream, "data")) as [unknown];
        stream.on("error", () => undefined).cancel();
        return event;
      })
      .toMatchObject({ sequence: 1 });
  });
});
