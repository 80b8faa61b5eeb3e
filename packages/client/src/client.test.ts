import { createServer, type AddressInfo } from "node:net";
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createClient } from "./client.js";
import { StewardError } from "./steward-error.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

const PLAN = { steps: [{ id: "a" }] };

async function failureOf(call: Promise<unknown>): Promise<StewardError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof StewardError) return thrown;
  throw new Error("expected a StewardError", { cause: thrown });
}

describe("a call", () => {
  it("carries the caller's identity, and returns what is under data", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: { plan_id: "p/1", status: "pending" } });
    });
    const client = createClient({
      baseUrl: `${server.url}/base/`,
      orgId: "o",
      sessionId: "s",
      userId: "u",
      agentId: "a",
      ormModel: "m",
      headers: { "x-user-role": "admin" },
    });
    expect(await client.plans.getPlan({ plan_id: "p/1" })).toEqual({
      plan_id: "p/1",
      status: "pending",
    });
    expect(server.seen[0]).toMatchObject({
      method: "GET",
      url: "/base/api/plans/p%2F1",
      headers: {
        "x-org-id": "o",
        "x-session-id": "s",
        "x-user-id": "u",
        "x-agent-id": "a",
        "x-orm-model": "m",
        "x-user-role": "admin",
      },
    });
  });

  it("reaches the documented paths", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: {} });
    });
    const { plans } = createClient({ baseUrl: server.url });
    await plans.submit(PLAN, { idempotencyKey: "k" });
    await plans.listPlans({ status: "failed", limit: 5 });
    await plans.execute("p", "s");
    await plans.cancelPlan({ plan_id: "p" });
    await plans.retryPlan({ plan_id: "p" });
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      `POST /api/plans ${JSON.stringify(PLAN)}`,
      "GET /api/plans?status=failed&limit=5 ",
      "POST /api/plans/p/steps/s/execute ",
      "DELETE /api/plans/p ",
      "POST /api/plans/p/retry ",
    ]);
    expect(server.seen[0]?.headers["idempotency-key"]).toBe("k");
  });

  it("rejects with the server's code, status, details and the time to wait", async () => {
    await using server = await scriptedServer((_request, response) => {
      const details = [{ field: "steps[0].id", reason: "is empty" }];
      const body = { error: "Bad plan", code: "QUOTA_EXCEEDED", details };
      json(response, 429, body, { "retry-after": "60" });
    });
    const { plans } = createClient({ baseUrl: server.url });
    expect(await failureOf(plans.submit(PLAN))).toMatchObject({
      message: "Bad plan",
      code: "QUOTA_EXCEEDED",
      status: 429,
      details: [{ field: "steps[0].id", reason: "is empty" }],
      retryAfterMs: 60_000,
      isTransient: true,
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    [200, "<html>"],
    [200, '{"plans":[]}'],
    [502, "Bad gateway"],
    [404, '{"message":"no"}'],
  ])("says so when %i %s is not an answer of Steward", async (status, body) => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(status).end(body);
    });
    const { plans } = createClient({ baseUrl: server.url });
    expect(await failureOf(plans.getPlan({ plan_id: "p" }))).toMatchObject({
      code: "BAD_RESPONSE",
      status,
    });
    expect(server.seen).toHaveLength(1);
  });

  it("is ended by its signal, with the signal's own reason", async () => {
    await using server = await scriptedServer(() => undefined);
    const { plans } = createClient({ baseUrl: server.url });
    const reason = new Error("enough");
    const abort = new AbortController();
    const call = plans.getPlan({ plan_id: "p" }, { signal: abort.signal });
    setTimeout(() => {
      abort.abort(reason);
    }, 20);
    await expect(call).rejects.toBe(reason);
  });
});

describe("trying again", () => {
  it("submits with the same idempotency key when the server is busy or the connection breaks", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      const busy = { error: "busy", code: "STORE_UNAVAILABLE" };
      if (index === 0) json(response, 503, busy, { "retry-after": "0" });
      else if (index === 1) response.destroy();
      else json(response, 201, { data: { plan_id: "p", status: "pending" } });
    });
    const { plans } = createClient({ baseUrl: server.url });
    expect(await plans.submit(PLAN)).toEqual({ plan_id: "p", status: "pending" });
    const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("does not ask again for payments that are not configured", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 503, { error: "set the key", code: "PAYMENT_NOT_CONFIGURED" });
    });
    const { billing } = createClient({ baseUrl: server.url });
    expect(await failureOf(billing.listPaymentMethods())).toMatchObject({ isTransient: false });
    expect(server.seen).toHaveLength(1);
  });

  it("waits as long as the server asks", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      const busy = { error: "busy", code: "QUOTA_EXCEEDED" };
      if (index === 0) json(response, 429, busy, { "retry-after": "1" });
      else json(response, 200, { data: { plans: [] } });
    });
    const startedAtMs = performance.now();
    await createClient({ baseUrl: server.url }).plans.listPlans();
    expect(performance.now() - startedAtMs).toBeGreaterThan(990);
  });

  it("gives up after four tries and says what was last", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 503, { error: "busy", code: "OVERLOADED" }, { "retry-after": "0" });
    });
    const failure = await failureOf(createClient({ baseUrl: server.url }).plans.execute("p", "s"));
    expect(failure.code).toBe("OVERLOADED");
    expect(server.seen).toHaveLength(4);
  });

  it("asks again as often as it takes for a step that runs longer than the runtime waits", async () => {
    vi.useFakeTimers();
    try {
      let calls = 0;
      const fetch = (): Promise<Response> => {
        calls += 1;
        if (calls > 10) return Promise.resolve(Response.json({ data: { success: true } }));
        return new Promise((_resolve, reject) => {
          setTimeout(() => {
            reject(new TypeError("fetch failed"));
          }, 300_000);
        });
      };
      const { plans } = createClient({ baseUrl: "http://localhost", fetch });
      const execution = plans.execute("p", "s");
      await vi.advanceTimersByTimeAsync(60 * 60_000);
      expect(await execution).toEqual({ success: true });
      expect(calls).toBe(11);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not repeat a retry of a plan, nor what the server refused", async () => {
    await using server = await scriptedServer(({ url }, response) => {
      if (url.endsWith("/retry")) json(response, 503, { error: "busy", code: "OVERLOADED" });
      else json(response, 409, { error: "over", code: "PLAN_NOT_ACTIVE" });
    });
    const { plans } = createClient({ baseUrl: server.url });
    expect((await failureOf(plans.retryPlan({ plan_id: "p" }))).code).toBe("OVERLOADED");
    expect((await failureOf(plans.cancelPlan({ plan_id: "p" }))).code).toBe("PLAN_NOT_ACTIVE");
    expect(server.seen).toHaveLength(2);
  });

  it("ends with UNREACHABLE when nobody answers", async () => {
    const url = await scriptedServer(() => undefined).then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server.url;
    });
    const failure = await failureOf(createClient({ baseUrl: url }).plans.getPlan({ plan_id: "p" }));
    expect(failure).toMatchObject({ code: "UNREACHABLE", status: undefined });
    expect(failure.message).toBe(`Cannot reach ${url}: ECONNREFUSED`);
  });
});

describe("a server that speaks something else", () => {
  const answering = async (text: string, work: (port: number) => Promise<void>): Promise<void> => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(text));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await work((server.address() as AddressInfo).port);
    server.close();
  };

  it("is told at once, with what to write instead", async () => {
    await answering("HTTP/1.1 400 Bad Request\r\n\r\n", async (port) => {
      const baseUrl = `https://127.0.0.1:${String(port)}`;
      const { code, message } = await failureOf(createClient({ baseUrl }).plans.listPlans());
      expect([code, message]).toEqual([
        "BAD_RESPONSE",
        `${baseUrl} does not speak TLS; if it is a Steward server without TLS, write http://127.0.0.1:${String(port)}`,
      ]);
    });
    await answering("SSH-2.0-OpenSSH_9.2\r\n", async (port) => {
      const baseUrl = `http://127.0.0.1:${String(port)}`;
      const { code, message } = await failureOf(createClient({ baseUrl }).plans.listPlans());
      expect([code, message]).toEqual([
        "BAD_RESPONSE",
        `${baseUrl} answers, but not in HTTP; if it is a Steward server with TLS, write https://`,
      ]);
    });
  });
});

describe("the package", () => {
  it("imports no runtime but the web's: nothing of Node, no database, no native module", () => {
    const built = new URL("./", import.meta.url);
    const files = readdirSync(built, { recursive: true, encoding: "utf8" }).filter(
      (file) => /(?<!\.test)\.js$/.test(file) && !file.startsWith("testing"),
    );
    const imported = files.flatMap((file) =>
      [...readFileSync(new URL(file, built), "utf8").matchAll(/from "([^"]+)"/g)].map(
        ([, name]) => name,
      ),
    );
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter((name) => !/^\.\.?\//.test(name ?? ""))).toEqual([]);
  });
});
