import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { AUDIT_REFUSALS_MAX, AUDIT_REFUSALS_MS } from "./limits.js";
import { Refusals } from "./refusals.js";

describe("refusals", () => {
  let nowMs = 1;
  const clock = { nowMs: () => nowMs };
  const refused = async (refusals: Refusals, action: string, code: AppError["code"]) =>
    refusals
      .watch(ADMIN, { action }, () => Promise.reject(new AppError(code, "no")))
      .catch((error: unknown) => error);

  it("are counted while they wait, equal ones together, and other errors are not", async () => {
    const refusals = new Refusals(clock);
    expect(await refused(refusals, "keys:write", "POLICY_DENIED")).toMatchObject({ message: "no" });
    await refused(refusals, "keys:write", "POLICY_DENIED");
    await refused(refusals, "keys:read", "POLICY_DENIED");
    await refused(refusals, "keys:read", "STORE_UNAVAILABLE");
    expect(refusals.take()).toMatchObject([
      { kind: "operation.refused", subject: "keys:write", detail: { count: 2 } },
      { kind: "operation.refused", subject: "keys:read", detail: { count: 1 } },
    ]);
    expect(refusals.take()).toEqual([]);
  });

  it("tell who failed to authenticate from where", async () => {
    const refusals = new Refusals(clock);
    const request = { requestId: "r", peerAddress: "192.0.2.7" };
    const fails = () => Promise.reject(new AppError("UNAUTHENTICATED", "no such key"));
    await refusals.watchAuthentication(request, fails).catch(() => undefined);
    expect(refusals.take()).toMatchObject([
      {
        kind: "authentication.failed",
        origin: { request },
        detail: { reason: "no such key", count: 1 },
      },
    ]);
  });

  it("become a limited number of records a minute, whoever sends how many", async () => {
    const refusals = new Refusals(clock);
    const facts = [];
    for (let tries = 0; tries < 500; tries += 1) {
      await refused(refusals, `action ${String(tries)}`, "POLICY_DENIED");
      if (tries % 250 === 249) facts.push(...refusals.take());
    }
    expect(facts).toHaveLength(AUDIT_REFUSALS_MAX + 2);
    const counts = facts.map(({ detail }) => Number(detail["count"]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500);
    nowMs += AUDIT_REFUSALS_MS;
    await refused(refusals, "later", "POLICY_DENIED");
    expect(refusals.take()).toMatchObject([{ subject: "later" }]);
  });

  it("are counted again when they could not be stored", async () => {
    const refusals = new Refusals(clock);
    await refused(refusals, "a", "POLICY_DENIED");
    await refused(refusals, "a", "POLICY_DENIED");
    refusals.putBack(refusals.take());
    expect(refusals.take()).toMatchObject([{ subject: "a", detail: { count: 2 } }]);
  });
});
