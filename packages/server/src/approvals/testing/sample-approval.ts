import type { Approval, ApprovalSubject } from "../index.js";

/** An approval that waits for one person with the role approver. */
export function sampleApproval(over: Partial<Approval> = {}): Approval {
  return {
    approvalId: "01900000-0000-7000-8000-000000000001",
    digest: "ab".repeat(32),
    status: "pending",
    rules: [{ policyId: "two-eyes", role: "approver", approversMin: 1 }],
    requester: { kind: "agent", userId: "alice", agentId: "bot" },
    policyVersion: "v1",
    requestedAtMs: 0,
    expiresAtMs: Date.UTC(2100, 0, 1),
    decisions: [],
    ...over,
  };
}

/** What the sample approval is for. */
export const SAMPLE_SUBJECT: ApprovalSubject = {
  ...{ toolName: "sql", dataSource: "shop", intent: "write_delete", revision: 1 },
  ...{ queryTemplate: "DELETE FROM orders", statement: "DELETE FROM orders" },
  ...{ values: [], valuesLeftOut: 0 },
};
