import { describe, expect, it } from "vitest";
import { areMet, decideApproval, type Approval, type WantedDecision } from "./index.js";
import { sampleApproval } from "./testing/sample-approval.js";

const person = (userId: string, ...roles: readonly string[]): WantedDecision["by"] => ({
  ...{ kind: "person", userId },
  roles: roles.length === 0 ? ["approver"] : roles,
});

function decide(
  approval: Approval,
  by: WantedDecision["by"],
  over: Partial<WantedDecision> = {},
  nowMs = 1,
) {
  return decideApproval(
    approval,
    { decision: "approve", digest: approval.digest, by, ...over },
    nowMs,
  );
}

/** The approval after decisions that are all accepted. */
function after(approval: Approval, ...by: readonly WantedDecision["by"][]): Approval {
  return by.reduce((present, approver) => {
    const result = decide(present, approver);
    if (result.kind !== "decided") throw new Error(result.kind);
    return result.approval;
  }, approval);
}

describe("a decision about an approval", () => {
  it("needs each policy's number of different persons with its role", () => {
    const rules = [
      { policyId: "a", role: "approver", approversMin: 2 },
      { policyId: "b", role: "data owner", approversMin: 1 },
    ];
    const approval = sampleApproval({ rules });
    expect(after(approval, person("bob"), person("carol")).status).toBe("pending");
    const both = person("dave", "approver", "data owner");
    expect(after(approval, person("bob"), both).status).toBe("approved");
    expect(decide(after(approval, person("bob")), person("bob"))).toEqual({ kind: "repeated" });
  });

  it("counts a person once, whichever key they use, and a key without a person not at all", () => {
    const approval = sampleApproval({
      rules: [{ policyId: "a", role: "approver", approversMin: 2 }],
    });
    const key = (keyId: string, userId?: string): WantedDecision["by"] => ({
      ...{ kind: "apiKey", keyId, roles: ["approver"] },
      ...(userId === undefined ? {} : { userId }),
    });
    const once = after(approval, key("k1", "bob"));
    expect(decide(once, key("k2", "bob"))).toEqual({ kind: "repeated" });
    expect(decide(once, key("k2", " Bob"))).toEqual({ kind: "repeated" });
    expect(decide(once, key("k2"))).toMatchObject({ code: "POLICY_DENIED" });
    expect(after(once, key("k2", "carol")).status).toBe("approved");
    // What a key of nobody had decided before does not count either.
    const unnamed = { approver: { kind: "apiKey", keyId: "k3" }, roles: ["approver"] } as const;
    const decisions = [...once.decisions, { ...unnamed, decision: "approve", atMs: 0 } as const];
    expect(areMet(approval.rules, decisions)).toBe(false);
  });

  it("is denied by one denial, which also takes back an approval", () => {
    const approved = after(sampleApproval(), person("bob"));
    const denied = decide(approved, person("bob"), { decision: "deny", reason: "wrong table" });
    expect(denied).toMatchObject({ kind: "decided", approval: { status: "denied" } });
    if (denied.kind !== "decided") return;
    expect(denied.approval.decisions).toHaveLength(1);
    expect(decide(denied.approval, person("carol"))).toMatchObject({
      code: "APPROVAL_CONFLICT",
      message: expect.stringContaining("bob denied it: wrong table") as string,
    });
  });

  it.each([
    ["an agent", { kind: "agent", agentId: "b", userId: "bob", roles: ["approver"] }],
    ["a key with the role agent", { kind: "apiKey", keyId: "k", roles: ["approver", "agent"] }],
    ["a caller without a name", { kind: "person", roles: ["approver"] }],
    ["a key that names nobody", { kind: "apiKey", keyId: "k", roles: ["approver"] }],
    ["the person for whom the agent asked", person("alice")],
    ["the person for whom the agent asked, written otherwise", person("Alice ")],
    ["an author", person("erin")],
    ["a person without the role", person("bob", "admin")],
  ] as const)("is refused to %s", (_who, by) => {
    expect(decide(sampleApproval({ authors: ["erin"] }), by)).toMatchObject({
      code: "POLICY_DENIED",
    });
  });

  it.each([
    ["another digest", {}, { digest: "cd".repeat(32) }, "Read the approval again"],
    ["expired", { expiresAtMs: 0 }, {}, "expired at 1970-01-01T00:00:00.000Z"],
    ["approved and expired", { status: "approved", expiresAtMs: 0 }, {}, "expired at"],
    ["void", { status: "void" }, {}, "is void"],
    ["used", { status: "used" }, {}, "is used"],
  ] as const)("is refused for one that is %s", (_state, state, over, text) => {
    expect(decide(sampleApproval(state), person("bob"), over)).toMatchObject({
      code: "APPROVAL_CONFLICT",
      message: expect.stringContaining(text) as string,
    });
  });

  it("stands for later statements only if enough persons want it, for the shortest of their times", () => {
    const rules = [{ policyId: "a", role: "approver", approversMin: 2, standingMs: 60_000 }];
    const approval = sampleApproval({ rules, shapeDigest: "shape" });
    const all = (...times: readonly (number | undefined)[]) =>
      times.reduce<Approval>((present, standingMs, index) => {
        const result = decide(present, person(`p${String(index)}`), { standingMs }, 100);
        if (result.kind !== "decided") throw new Error(result.kind);
        return result.approval;
      }, approval);
    expect(all(30_000).standingUntilMs).toBeUndefined();
    expect(all(30_000, 20_000)).toMatchObject({ status: "approved", standingUntilMs: 20_100 });
    expect(all(30_000, undefined)).toMatchObject({ status: "approved" });
    expect(all(30_000, undefined).standingUntilMs).toBeUndefined();
    expect(all(30_000, undefined, 40_000).standingUntilMs).toBe(30_100);
    // Whoever takes an approval back ends it for later statements too.
    const given = all(30_000, 20_000);
    const denied = decide(given, person("p0"), { decision: "deny" });
    expect(denied).toMatchObject({ kind: "decided", approval: { status: "denied" } });
    expect(denied.kind === "decided" && denied.approval.standingUntilMs).toBeUndefined();
  });

  it("may stand no longer than its policies allow, and not at all where one of them does not", () => {
    const rule = { policyId: "a", role: "approver", approversMin: 1, standingMs: 60_000 };
    const shapeDigest = "shape";
    const refusal = (approval: Approval, over: Partial<WantedDecision>) => {
      const result = decide(approval, person("bob"), over);
      return result.kind === "refused" ? result.code : result.kind;
    };
    const approval = sampleApproval({ rules: [rule], shapeDigest });
    expect(refusal(approval, { standingMs: 60_000 })).toBe("decided");
    for (const standingMs of [60_001, 999, 0, -1, Number.NaN]) {
      expect(refusal(approval, { standingMs })).toBe("POLICY_DENIED");
    }
    expect(refusal(approval, { standingMs: 1000, decision: "deny" })).toBe("POLICY_DENIED");
    const { standingMs: _standingMs, ...once } = rule;
    for (const other of [
      sampleApproval({ rules: [rule] }),
      sampleApproval({ rules: [rule, { ...once, policyId: "b" }], shapeDigest }),
      sampleApproval({ rules: [], shapeDigest }),
    ]) {
      expect(refusal(other, { standingMs: 1000 })).toBe("POLICY_DENIED");
    }
  });
});
