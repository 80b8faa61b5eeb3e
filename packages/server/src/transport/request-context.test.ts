import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { isUuid, systemIds } from "@steward/kernel/ids.js";
import { RESUMED_CALLERS_MAX } from "@steward/kernel/limits.js";
import { clientAddressBy } from "./authentication/client-address.js";
import { headersAuthenticator } from "./authentication/headers-authenticator.js";
import { requestContext, requestIdOf } from "./request-context.js";
import { openQuotas } from "./testing/open-quotas.js";

const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const services = {
  authenticate: headersAuthenticator({ trustedProxies: [], proxySecrets: [] }),
  authorize: () => undefined,
  useApproval: () =>
    Promise.resolve({ lifts: new Set<string>(), resolved: [], giveBack: () => Promise.resolve() }),
  quotas: openQuotas(),
  clientAddress: clientAddressBy(["127.0.0.1"]),
};
const ids = systemIds(systemClock);
const request = {
  headers: {},
  peerAddress: "127.0.0.1",
  certificate: () => undefined,
  requestId: "r1",
  whenOver: () => undefined,
  signal: new AbortController().signal,
};

describe("the context of a request", () => {
  it("is the caller, and how long the caller waits", async () => {
    const headers = { "x-session-id": "s1", "idempotency-key": "k1" };
    const ctx = await requestContext(services, { ...request, headers, deadlineMs: 5 });
    expect(ctx).toMatchObject({
      sessionId: "s1",
      idempotencyKey: "k1",
      requestId: "r1",
      deadlineMs: 5,
    });
    expect(ctx.signal).toBe(request.signal);
  });

  it.each([
    ["127.0.0.1", "192.0.2.7"],
    ["10.0.0.1", "10.0.0.1"],
  ])("forwarded by %s, is told to come from %s", async (peerAddress, told) => {
    const headers = { "x-forwarded-for": "192.0.2.7" };
    const ctx = await requestContext(services, { ...request, headers, peerAddress });
    expect(ctx.request?.peerAddress).toBe(told);
  });

  it("has no key and no deadline when none was given", async () => {
    const ctx = await requestContext(services, request);
    expect(ctx).not.toHaveProperty("idempotencyKey");
    expect(ctx).not.toHaveProperty("deadlineMs");
  });

  it("comes before those of another organization that has many requests, on however many connections", async () => {
    const order: string[] = [];
    const [many, one] = ["11111111-1111-4111-8111-111111111111", OTHER_ORG];
    const asked = [...Array.from({ length: 200 }, () => many), one].map(async (orgId) => {
      await requestContext(services, { ...request, headers: { "x-org-id": orgId } });
      order.push(orgId);
    });
    await Promise.all(asked);
    expect(order).toHaveLength(201);
    // Those of one turn have begun, and the next turn takes one of each organization.
    expect(order.indexOf(one)).toBeLessThanOrEqual(2 * RESUMED_CALLERS_MAX);
  });

  it("refuses an idempotency key that is too long", async () => {
    const headers = { "idempotency-key": "k".repeat(256) };
    await expect(requestContext(services, { ...request, headers })).rejects.toThrow(
      /idempotency-key/,
    );
  });
});

describe("the id of a request", () => {
  it("is the caller's own", () => {
    expect(requestIdOf({ "x-request-id": "req-42" }, ids)).toBe("req-42");
  });

  it.each([undefined, "", "two words", "line\nbreak", "x".repeat(129)])(
    "is a new one instead of %j",
    (given) => {
      expect(isUuid(requestIdOf({ "x-request-id": given }, ids))).toBe(true);
    },
  );
});
