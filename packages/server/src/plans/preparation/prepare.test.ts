import { describe, expect, it } from "vitest";
import { SqliteAnalyzer } from "../../adapters/sql-analyzer/index.js";
import { buildToolRegistry, type ToolListing } from "../../adapters/tool-registry.js";
import { AppError } from "@steward/kernel/errors.js";
import type { PlanDefinition, PreparedStep, StepDefinition } from "../plan.js";
import type { SqlTarget } from "../ports.js";
import { preparePlan } from "./prepare.js";

/** A data source with a name and a dialect, which is all that validation uses. */
function dataSource(name: string): SqlTarget {
  const never = (): never => {
    throw new Error("validation asks no database");
  };
  return {
    name,
    dialect: "sqlite",
    run: never,
    describe: never,
    preview: never,
    settle: never,
    forget: never,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function step(id: string, over: Partial<StepDefinition> = {}): StepDefinition {
  return {
    id,
    name: "",
    toolName: "sql",
    intent: "",
    queryTemplate: "SELECT 1",
    dependsOn: [],
    schemaTableHints: [],
    ...over,
  };
}

interface Submission extends Partial<PlanDefinition> {
  readonly sessionId?: string;
  readonly listing?: ToolListing;
}

function prepare(
  steps: readonly StepDefinition[],
  { sessionId = "", listing = { strict: false, tools: [] }, ...over }: Submission = {},
): readonly PreparedStep[] {
  const targets = new Map(["shop", "stock"].map((name) => [name, dataSource(name)]));
  return preparePlan(
    sessionId,
    { name: "", description: "", steps, ...over },
    {
      tools: buildToolRegistry(listing, targets),
      analyzer: new SqliteAnalyzer(),
      stepTimeoutMs: 30_000,
    },
  );
}

/** The refusal of a plan: its code, then `field: reason` of each violation. */
function refusal(steps: readonly StepDefinition[], submission: Submission = {}): readonly string[] {
  try {
    prepare(steps, submission);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, ...error.details.map(({ field, reason }) => `${field}: ${reason}`)];
  }
  return ["accepted"];
}

describe("a plan that is valid", () => {
  it("is prepared step by step, its placeholders compiled and its intents settled", () => {
    const steps = [
      step("a", { queryTemplate: "SELECT id FROM orders", schemaTableHints: ["orders"] }),
      step("b", {
        name: "mark",
        toolName: "marker",
        intent: "write_update",
        queryTemplate: "UPDATE orders SET seen = 1 WHERE id IN ({{step.a.output[*].id}})",
        dependsOn: ["a"],
      }),
    ];
    const listing = { strict: true, tools: [tool("sql", "shop"), tool("marker", "stock")] };
    const prepared = prepare(steps, { listing });
    expect(prepared[0]).toEqual({
      ...steps[0],
      index: 0,
      intent: "read_select",
      intentSource: "statement",
      statementClass: "read_select",
      dataSource: "shop",
      statement: { sql: "SELECT id FROM orders", binds: [] },
    });
    expect(prepared[1]).toMatchObject({
      index: 1,
      intent: "write_update",
      intentSource: "explicit",
      dataSource: "stock",
      statement: {
        sql: "UPDATE orders SET seen = 1 WHERE id IN (SELECT CASE type WHEN 'object' THEN unhex(value ->> 'blob') ELSE value END FROM json_each(?1))",
        binds: [{ stepId: "a", form: "members" }],
      },
    });
  });

  it.each([
    ["SELECT 1", "read_select"],
    ["INSERT INTO t VALUES (1)", "write_insert"],
    ["UPDATE t SET a = 1", "write_update"],
    ["DELETE FROM t", "write_delete"],
    ["CREATE TABLE t (a)", "admin"],
  ])("takes the intent of %s from the statement when none is declared", (queryTemplate, intent) => {
    expect(prepare([step("a", { queryTemplate })])[0]).toMatchObject({
      intent,
      intentSource: "statement",
    });
  });

  it("keeps what the statement does beside a governed intent, so that no run finds it out again", () => {
    const [prepared] = prepare([step("a", { queryTemplate: "SELECT 1", intent: "admin" })]);
    expect(prepared).toMatchObject({ intent: "admin", statementClass: "read_select" });
  });

  it("may declare a governed intent for a milder statement", () => {
    const queryTemplate = "DELETE FROM t";
    for (const intent of ["admin", "cross_system_transaction", "write_delete"]) {
      expect(prepare([step("a", { queryTemplate, intent })])[0]).toMatchObject({ intent });
    }
  });

  it("needs no names, description or session", () => {
    expect(prepare([step("a", { toolName: "" })])).toHaveLength(1);
  });

  it("reaches every limit", () => {
    const steps = Array.from({ length: 1000 }, (_, index) =>
      step(`s${String(index)}`, {
        name: "😀".repeat(255),
        dependsOn: Array.from({ length: Math.min(index, 100) }, (__, n) => `s${String(n)}`),
      }),
    );
    const queryTemplate = `SELECT '${"é".repeat(32 * 1024 - 5)}'`;
    const prepared = prepare([step("s0", { queryTemplate }), ...steps.slice(1)], {
      sessionId: "x".repeat(255),
      name: "x".repeat(255),
      description: "x".repeat(8192),
    });
    expect(prepared).toHaveLength(1000);
  });
});

describe("a plan that is not valid", () => {
  it("needs a step", () => {
    expect(refusal([])).toEqual(["INVALID_PLAN", "steps: a plan needs at least one step"]);
  });

  it("is told every limit it exceeds, counted as people and disks count", () => {
    expect(
      refusal(
        [
          step("a", {
            name: "😀".repeat(256),
            toolName: "x".repeat(256),
            queryTemplate: `SELECT '${"é".repeat(32 * 1024)}'`,
            schemaTableHints: ["x".repeat(256), ...Array<string>(100).fill("t")],
          }),
        ],
        { sessionId: "x".repeat(256), name: "x".repeat(256), description: "é".repeat(4097) },
      ),
    ).toEqual([
      "LIMIT_EXCEEDED",
      "session_id: has 256 characters; at most 255 are allowed",
      "name: has 256 characters; at most 255 are allowed",
      "description: has 8194 bytes; at most 8192 are allowed",
      "steps[0].schema_table_hints: has 101 hints; at most 100 are allowed",
      "steps[0].name: has 256 characters; at most 255 are allowed",
      "steps[0].tool_name: has 256 characters; at most 255 are allowed",
      "steps[0].query_template: has 65545 bytes; at most 65536 are allowed",
      "steps[0].schema_table_hints[0]: has 256 characters; at most 255 are allowed",
    ]);
    const many = Array.from({ length: 1001 }, (_, index) => step(`s${String(index)}`));
    expect(refusal(many)).toEqual([
      "LIMIT_EXCEEDED",
      "steps: has 1001 steps; at most 1000 are allowed",
    ]);
    const dependsOn = many.slice(0, 101).map(({ id }) => id);
    expect(refusal([...many.slice(0, 101), step("z", { dependsOn })])).toEqual([
      "LIMIT_EXCEEDED",
      "steps[101].depends_on: has 101 dependencies; at most 100 are allowed",
    ]);
  });

  it("has templates of 512 KiB at most, all of its steps together", () => {
    const long = `SELECT '${"x".repeat(64 * 1024 - 9)}'`;
    const eight = Array.from({ length: 8 }, (_, index) =>
      step(`s${String(index)}`, { queryTemplate: long }),
    );
    expect(refusal(eight)).toEqual(["accepted"]);
    expect(refusal([...eight, step("one_more")])).toEqual([
      "LIMIT_EXCEEDED",
      "steps: the query templates have 524296 bytes together; at most 524288 are allowed: " +
        "submit several plans, or shorter statements",
    ]);
  });

  it("counts a character of two code units as one", () => {
    expect(refusal([step("a")], { name: "😀".repeat(255) })).toEqual(["accepted"]);
    expect(refusal([step("a")], { name: `${"😀".repeat(255)}a` })).toEqual([
      "LIMIT_EXCEEDED",
      "name: has 256 characters; at most 255 are allowed",
    ]);
  });

  it("holds no NUL and no broken Unicode in any text", () => {
    expect(
      refusal(
        [
          step("a\0", { queryTemplate: "SELECT 1 \0; DROP TABLE t" }),
          step("b", { toolName: "\0", schemaTableHints: ["t", "\ud800"] }),
        ],
        { sessionId: "\0", name: "\udc00", description: "\0" },
      ),
    ).toEqual([
      "INVALID_PLAN",
      "session_id: holds a NUL character, which is not allowed",
      "name: is not valid Unicode",
      "description: holds a NUL character, which is not allowed",
      "steps[0].query_template: holds a NUL character, which is not allowed",
      "steps[1].tool_name: holds a NUL character, which is not allowed",
      "steps[1].schema_table_hints[1]: is not valid Unicode",
      'steps[0].id: "a\\u0000" is not 1 to 64 letters, digits, "_" or "-"',
    ]);
  });

  it("is told a cycle by its path and what is wrong with its dependencies", () => {
    expect(
      refusal([
        step("a", { dependsOn: ["b"] }),
        step("b", { dependsOn: ["a", "nobody"] }),
        step("b"),
      ]),
    ).toEqual([
      "INVALID_PLAN",
      'steps[2].id: "b" is already the id of steps[1]',
      'steps[1].depends_on[1]: there is no step "nobody" in this plan',
      "steps[0].depends_on: steps depend on each other in a cycle: a → b → a",
    ]);
    expect(refusal([step("a", { dependsOn: ["b"] }), step("b", { dependsOn: ["a"] })])).toEqual([
      "PLAN_CYCLE",
      "steps[0].depends_on: steps depend on each other in a cycle: a → b → a",
    ]);
  });

  it("refers only to steps that it depends on", () => {
    const queryTemplate =
      "SELECT {{step.a.output[0].x}}, {{step.a.output[1].x}}, {{step.c.output}}, {{step.b.output}}";
    expect(refusal([step("a"), step("b", { queryTemplate })])).toEqual([
      "BAD_PLACEHOLDER",
      'steps[1].query_template: {{step.a.output[0].x}} refers to step "a", which is not in depends_on',
      'steps[1].query_template: {{step.c.output}} refers to step "c", which is not in this plan',
      "steps[1].query_template: {{step.b.output}} refers to its own step",
    ]);
  });

  it("has placeholders where values can stand", () => {
    const queryTemplate = "SELECT 1 -- {{step.a.output}}";
    expect(refusal([step("a"), step("b", { queryTemplate, dependsOn: ["a"] })])).toEqual([
      "BAD_PLACEHOLDER",
      "steps[1].query_template: {{step.a.output}} stands in a comment",
    ]);
  });

  it("declares an intent that there is and that covers the statement", () => {
    expect(
      refusal([
        step("a", { intent: "read" }),
        step("b", { intent: "read_select", queryTemplate: "DELETE FROM t" }),
        step("c", { intent: "cross_system_transaction", queryTemplate: "DROP TABLE t" }),
      ]),
    ).toEqual([
      "INVALID_PLAN",
      'steps[0].intent: "read" is not an intent: use one of read_select, write_insert, write_update, write_delete, admin, cross_system_transaction, or leave it empty',
      "steps[1].intent: the statement is write_delete, which read_select does not cover: declare write_delete",
      "steps[2].intent: the statement is admin, which cross_system_transaction does not cover: change the statement; admin is only for a step that is meant to govern the database",
    ]);
  });

  it("does what its tool allows, and calls tools that are listed", () => {
    const listing = {
      strict: true,
      tools: [{ ...tool("reports", "shop"), allowedIntents: ["read_select" as const] }],
    };
    const steps = [
      step("a", { toolName: "reports" }),
      step("b", { toolName: "reports", queryTemplate: "DELETE FROM t" }),
      step("c", { toolName: "reports", intent: "admin" }),
      step("d", { toolName: "other" }),
    ];
    expect(refusal(steps, { listing })).toEqual([
      "INVALID_PLAN",
      'steps[1].intent: tool "reports" allows read_select only; this step is write_delete',
      'steps[2].intent: tool "reports" allows read_select only; this step is admin',
      'steps[3].tool_name: tool "other" is not listed',
    ]);
  });

  it.each(["", "SELEC 1", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "PRAGMA user_version", "BEGIN"])(
    "holds one statement that may run: %s",
    (queryTemplate) => {
      const [code, reason, ...others] = refusal([step("a", { queryTemplate })]);
      expect(code).toBe("INVALID_PLAN");
      expect(reason).toMatch(/^steps\[0\]\.query_template: ./);
      expect(others).toEqual([]);
    },
  );

  it("is told what the parser read when a placeholder stands where no value can", () => {
    const table = "CREATE TABLE t (a DEFAULT {{step.a.output[0].n}})";
    const [code, violation] = refusal([
      step("a"),
      step("b", { queryTemplate: table, dependsOn: ["a"] }),
    ]);
    expect(code).toBe("INVALID_PLAN");
    expect(violation).toMatch(/^steps\[1\].query_template: .*syntax/);
    expect(violation).toContain('"CREATE TABLE t (a DEFAULT CASE typeof(?1) ');
    expect(violation).toContain("A placeholder is a value");
  });

  it("is answered with fifty violations at most, the first of them in the message", () => {
    const steps = Array.from({ length: 1000 }, () => step("same", { dependsOn: ["nobody"] }));
    expect(refusal(steps)).toHaveLength(1 + 50);
    expect(() => prepare(steps)).toThrow(
      'steps[1].id: "same" is already the id of steps[0] (and 49 more, see details)',
    );
  });

  it("repeats only the beginning of what it was sent", () => {
    const [, reason = ""] = refusal([step("a", { intent: "x".repeat(100_000) })]);
    expect(reason.length).toBeLessThan(300);
  });
});

function tool(name: string, dataSourceName: string): ToolListing["tools"][number] {
  return { name, dataSource: dataSourceName };
}
