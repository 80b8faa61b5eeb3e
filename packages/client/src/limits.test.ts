import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

const BUSY = { error: "Busy", code: "STORE_UNAVAILABLE" };

describe("a client", () => {
  it("gives a try no more than its timeout, and the next one as much", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      if (index === 1) json(response, 200, { data: { plan_id: "p" } });
    });
    const { plans } = createClient({ baseUrl: server.url, timeout: 200 });
    expect(await plans.getPlan({ plan_id: "p" })).toEqual({ plan_id: "p" });
    expect(server.seen).toHaveLength(2);
    await expect(plans.retryPlan({ plan_id: "p" })).rejects.toMatchObject({
      code: "UNREACHABLE",
      message: `${server.url} did not answer within 200 ms`,
    });
  });

  it("lets an answer that is read as it comes take longer than the timeout", async () => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/n-quads" }).write("one");
      setTimeout(() => response.end("two"), 400);
    });
    const { state } = createClient({ baseUrl: server.url, timeout: 200 });
    expect(await new Response(await state.exportState()).text()).toBe("onetwo");
  });

  it("rejects with the reason of the caller's own signal, whatever the timeout", async () => {
    await using server = await scriptedServer(() => undefined);
    const { plans } = createClient({ baseUrl: server.url, timeout: 10_000 });
    const reason = new Error("no longer wanted");
    const call = plans.getPlan(
      { plan_id: "p" },
      { signal: AbortSignal.any([abortedAfter(50, reason)]) },
    );
    await expect(call).rejects.toBe(reason);
  });

  it.each([0, 1])("tries again %i times when maxRetries says so", async (maxRetries) => {
    await using server = await scriptedServer((_request, response) => json(response, 503, BUSY));
    const { plans } = createClient({ baseUrl: server.url, maxRetries });
    await expect(plans.getPlan({ plan_id: "p" })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    expect(server.seen).toHaveLength(maxRetries + 1);
  });

  it("waits longer for a server that has answered before: it is being restarted", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: { plan_id: "p" } });
    });
    const tries = { failing: 0 };
    const unsteady: typeof fetch = async (input, init) => {
      if (tries.failing === 0) return fetch(input, init);
      tries.failing -= 1;
      throw new TypeError("fetch failed");
    };
    const client = () => createClient({ baseUrl: server.url, fetch: unsteady });
    tries.failing = 4;
    await expect(client().plans.getPlan({ plan_id: "p" })).rejects.toMatchObject({
      code: "UNREACHABLE",
    });
    tries.failing = 0;
    const { plans } = client();
    await plans.getPlan({ plan_id: "p" });
    tries.failing = 4;
    expect(await plans.getPlan({ plan_id: "p" })).toEqual({ plan_id: "p" });
  });

  it("tells the id of the request that failed", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 503, BUSY, { "x-request-id": "req-7" });
    });
    const { plans } = createClient({ baseUrl: server.url, maxRetries: 0 });
    await expect(plans.getPlan({ plan_id: "p" })).rejects.toMatchObject({ requestId: "req-7" });
  });
});

describe("listing all", () => {
  it("asks for the next page when the one before is used up, and no sooner", async () => {
    await using server = await scriptedServer(({ url }, response) => {
      const cursor = new URL(url, "http://h").searchParams.get("cursor");
      const page =
        cursor === null
          ? { plans: [{ plan_id: "3" }, { plan_id: "2" }], next_cursor: "c" }
          : { plans: [{ plan_id: "1" }] };
      json(response, 200, { data: page });
    });
    const { plans } = createClient({ baseUrl: server.url });
    const seen: string[] = [];
    for await (const { plan_id } of plans.eachPlan({ status: "failed", limit: 2 })) {
      seen.push(plan_id);
      if (plan_id === "2") expect(server.seen).toHaveLength(1);
    }
    expect(seen).toEqual(["3", "2", "1"]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      "/api/plans?status=failed&limit=2",
      "/api/plans?status=failed&limit=2&cursor=c",
    ]);
  });

  it("goes through memory likewise, and ends with an error", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      if (index === 0) json(response, 200, { data: { entries: [{}], next_cursor: "c" } });
      else json(response, 400, { error: "cursor: must be", code: "INVALID_ARGUMENT" });
    });
    const entries = createClient({ baseUrl: server.url })
      .memory.eachMemoryEntry()
      [Symbol.asyncIterator]();
    expect(await entries.next()).toEqual({ done: false, value: {} });
    await expect(entries.next()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

function abortedAfter(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
