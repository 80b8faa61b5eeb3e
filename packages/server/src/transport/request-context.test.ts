import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { isUuid, systemIds } from "@steward/kernel/ids.js";
import { headersAuthenticator } from "./authentication/headers-authenticator.js";
import { requestContext, requestIdOf } from "./request-context.js";
import { openQuotas } from "./testing/open-quotas.js";

const services = {
  authenticate: headersAuthenticator({ trustedProxies: [], proxySecrets: [] }),
  authorize: () => Promise.resolve(),
  useApproval: () => Promise.resolve(new Set<string>()),
  quotas: openQuotas(),
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

  it("has no key and no deadline when none was given", async () => {
    const ctx = await requestContext(services, request);
    expect(ctx).not.toHaveProperty("idempotencyKey");
    expect(ctx).not.toHaveProperty("deadlineMs");
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
