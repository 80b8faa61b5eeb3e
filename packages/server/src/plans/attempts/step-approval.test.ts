import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { describe, expect, it } from "vitest";
import type { TouchedData } from "../../governance/index.js";
import type { PreparedStep } from "../plan.js";
import { GIVEN } from "../statements/compiled-statement.js";
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
  { shape = "s", touched = undefined as TouchedData | undefined, rules = [RULE] } = {},
): string | undefined {
  const made = { approvalId: "1", nowMs: 0, validMs: 1, shape };
  const outcome = awaitingApproval(
    { ...BOUND, ...over },
    { rules, policyVersion: "v" },
    touched,
    made,
  );
  return outcome.approval.shapeDigest;
}

describe("the approval of a statement before its values are known", () => {
  it("is for the arguments of a vetted statement, which are known", () => {
    const digestWith = (id: number): string | undefined => {
      const path = [
        { kind: "index", index: 0 },
        { kind: "member", name: "id" },
      ] as const;
      const statement = {
        ...{ sql: "DELETE FROM orders WHERE id = ?1", given: { json: JSON.stringify([{ id }]) } },
        binds: [{ stepId: GIVEN, path, form: "value" }],
      } as const;
      const made = { approvalId: "1", nowMs: 0, validMs: 1, shape: undefined };
      const needed = { rules: [RULE], policyVersion: "v" };
      const bound = { ...BOUND, step: { ...STEP, statement } };
      return awaitingApproval(bound, needed, undefined, made).approval.templateDigest;
    };
    expect(digestWith(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(digestWith(1)).toBe(digestWith(1));
    expect(digestWith(2)).not.toBe(digestWith(1));
  });
});

describe("the shape for which an approval may stand", () => {
  it("is that of a statement with other values", () => {
    expect(shapeOf()).toMatch(/^[0-9a-f]{64}$/);
    const statement = { ...STEP.statement, sql: "DELETE FROM orders WHERE id = 8" };
    expect(shapeOf({ step: { ...STEP, statement } })).toBe(shapeOf());
    expect(shapeOf({}, { shape: "t" })).not.toBe(shapeOf());
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
    const made = { approvalId: "1", nowMs: 0, validMs: 1, shape: undefined };
    const needed = { rules: [RULE], policyVersion: "v" };
    expect(awaitingApproval(BOUND, needed, undefined, made).approval.shapeDigest).toBeUndefined();
    const { standingMs: _standingMs, ...once } = RULE;
    expect(shapeOf({}, { rules: [RULE, once as typeof RULE] })).toBeUndefined();
  });
});
