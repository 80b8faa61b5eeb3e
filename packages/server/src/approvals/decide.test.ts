import { describe, expect, it } from "vitest";
import { decideApproval, type Approval, type WantedDecision } from "./index.js";
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

  it("counts a person once, whichever key they use, and a key without a person as itself", () => {
    const approval = sampleApproval({
      rules: [{ policyId: "a", role: "approver", approversMin: 2 }],
    });
    const key = (keyId: string, userId?: string): WantedDecision["by"] => ({
      ...{ kind: "apiKey", keyId, roles: ["approver"] },
      ...(userId === undefined ? {} : { userId }),
    });
    const once = after(approval, key("k1", "bob"));
    expect(decide(once, key("k2", "bob"))).toEqual({ kind: "repeated" });
    expect(after(once, key("k2")).status).toBe("approved");
    expect(decide(after(approval, key("k2")), key("k2"))).toEqual({ kind: "repeated" });
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
    ["the person for whom the agent asked", person("alice")],
    ["a person without the role", person("bob", "admin")],
  ] as const)("is refused to %s", (_who, by) => {
    expect(decide(sampleApproval(), by)).toMatchObject({ code: "POLICY_DENIED" });
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
});
