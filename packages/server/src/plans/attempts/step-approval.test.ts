import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { describe, expect, it } from "vitest";
import type { TouchedData } from "../../governance/index.js";
import type { PreparedStep } from "../plan.js";
import { awaitingApproval, type BoundStatement } from "./step-approval.js";

const STEP: PreparedStep = {
  ...{ id: "a", index: 0, name: "a", toolName: "sql", dataSource: "shop", queryTemplate: "" },
  ...{ intent: "write_delete", intentSource: "explicit", statementClass: "write_delete" },
  ...{ dependsOn: [], schemaTableHints: [] },
  statement: { sql: "DELETE FROM orders WHERE id = 7", binds: [] },
};
const BOUND: BoundStatement = {
  ref: { orgId: NOBODY.orgId, planId: "p", stepId: "a", attempt: 1 },
  ...{ step: STEP, binds: [], migration: undefined, approval: undefined, dialect: "sqlite" },
  caller: { ...NOBODY, kind: "person", userId: "alice" },
};
const RULE = { policyId: "p", role: "approver", approversMin: 1, standingMs: 60_000 };

/** The digest of the shape for which the approval of a statement may stand. */
function shapeOf(
  over: Partial<BoundStatement> = {},
  { sql = STEP.statement.sql, touched = undefined as TouchedData | undefined, rules = [RULE] } = {},
): string | undefined {
  const bound = { ...BOUND, step: { ...STEP, statement: { sql, binds: [] } }, ...over };
  const made = { approvalId: "1", nowMs: 0, validMs: 1 };
  const outcome = awaitingApproval(bound, { rules, policyVersion: "v" }, touched, made);
  return outcome.approval.shapeDigest;
}

describe("the shape for which an approval may stand", () => {
  it("is that of every statement with other literals, and of no other statement", () => {
    const shape = shapeOf();
    expect(shape).toMatch(/^[0-9a-f]{64}$/);
    for (const sql of [
      "DELETE FROM orders WHERE id = 8",
      "DELETE FROM orders WHERE id = 'x; DROP TABLE orders'",
      "DELETE FROM orders -- 7\n WHERE id=x'00'",
    ]) {
      expect(shapeOf({}, { sql }), sql).toBe(shape);
    }
    for (const sql of [
      "DELETE FROM orders",
      "DELETE FROM orders WHERE id = id",
      "DELETE FROM orders WHERE id = ?1",
      "DELETE FROM orders WHERE id = 7 OR 1 = 1",
      "DELETE FROM orders WHERE id IN (7, 8)",
      'DELETE FROM "orders --" WHERE id = 7',
    ]) {
      expect(shapeOf({}, { sql }), sql).not.toBe(shape);
    }
  });

  it("is another one for another user, agent, or key of nobody else", () => {
    const callers = [
      { ...NOBODY, kind: "person", userId: "alice" },
      { ...NOBODY, kind: "person", userId: "bob" },
      { ...NOBODY, kind: "agent", userId: "alice", agentId: "bot" },
      { ...NOBODY, kind: "agent", userId: "alice", agentId: "other" },
      { ...NOBODY, kind: "apiKey", keyId: "alice" },
    ] as const;
    expect(new Set(callers.map((caller) => shapeOf({ caller }))).size).toBe(callers.length);
  });

  it("is none for a caller without a name, a migration, a tool without SQL, and a call of a function", () => {
    const touched = (...functions: readonly string[]): TouchedData => ({ tables: [], functions });
    expect(shapeOf({}, { touched: touched() })).toBeDefined();
    expect(shapeOf({}, { touched: touched("run_sql") })).toBeUndefined();
    expect(shapeOf({ caller: NOBODY })).toBeUndefined();
    expect(shapeOf({ migration: { id: "m", digest: "d" } })).toBeUndefined();
    expect(shapeOf({ dialect: undefined })).toBeUndefined();
    const { standingMs: _standingMs, ...once } = RULE;
    expect(shapeOf({}, { rules: [RULE, once as typeof RULE] })).toBeUndefined();
  });
});
