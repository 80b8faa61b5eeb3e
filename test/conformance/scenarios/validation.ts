import { expect } from "vitest";
import type { PlanInput, StepInput } from "../client.js";
import { expectRefusal, rowsOf } from "../expectations.js";
import type { RequirementId } from "../requirements.js";
import { scenario, scenarioIn, step, type Scenario } from "../scenario.js";

/** A plan that must be refused, with the reason and the named field. */
interface Mistake {
  readonly cites: readonly RequirementId[];
  readonly title: string;
  readonly plan: PlanInput;
  readonly code: "INVALID_PLAN" | "BAD_PLACEHOLDER" | "LIMIT_EXCEEDED";
  readonly field: string;
  readonly message?: RegExp;
}

const one = (query: string, more: Partial<StepInput> = {}): PlanInput => ({
  steps: [step("a", "SELECT 1 AS n"), step("b", query, { depends_on: ["a"], ...more })],
});

const MISTAKES: readonly Mistake[] = [
  {
    cites: ["D4-no-steps"],
    title: "has no steps",
    plan: { steps: [] },
    code: "INVALID_PLAN",
    field: "steps",
  },
  {
    cites: ["D4-ids"],
    title: "uses an id twice",
    plan: { steps: [step("a", "SELECT 1"), step("a", "SELECT 2")] },
    code: "INVALID_PLAN",
    field: "steps[1].id",
  },
  ...["", "a b", "ä", "x".repeat(65), "a.b"].map((id): Mistake => ({
    cites: ["D4-ids"],
    title: `has the id ${JSON.stringify(id.slice(0, 8))}`,
    plan: { steps: [step(id, "SELECT 1")] },
    code: "INVALID_PLAN",
    field: "steps[0].id",
  })),
  {
    cites: ["D4-unknown-dependency"],
    title: "depends on a step that is not there",
    plan: { steps: [step("a", "SELECT 1", { depends_on: ["b"] })] },
    code: "INVALID_PLAN",
    field: "steps[0].depends_on[0]",
  },
  {
    cites: ["D4-unknown-dependency"],
    title: "has a step that depends on itself",
    plan: { steps: [step("a", "SELECT 1", { depends_on: ["a"] })] },
    code: "INVALID_PLAN",
    field: "steps[0].depends_on[0]",
  },
  {
    cites: ["C2.2-listed", "D4-placeholder-dependency"],
    title: "refers to a step that is not in depends_on",
    plan: one("SELECT {{step.a.output[0].n}}", { depends_on: [] }),
    code: "BAD_PLACEHOLDER",
    field: "steps[1].query_template",
    message: /depends_on/,
  },
  {
    cites: ["D4-placeholder-place"],
    title: "has a placeholder in a comment",
    plan: one("SELECT 1 -- {{step.a.output[0].n}}"),
    code: "BAD_PLACEHOLDER",
    field: "steps[1].query_template",
  },
  {
    cites: ["D4-placeholder-place"],
    title: "has a placeholder in a quoted identifier",
    plan: one('SELECT "{{step.a.output[0].n}}"'),
    code: "BAD_PLACEHOLDER",
    field: "steps[1].query_template",
  },
  {
    cites: ["D4-intent"],
    title: "has an intent that is none",
    plan: one("SELECT 1", { intent: "read_everything" }),
    code: "INVALID_PLAN",
    field: "steps[1].intent",
  },
  {
    cites: ["D4-parse", "D4-repair"],
    title: "has a template that is no SQL",
    plan: one("SELEKT 1"),
    code: "INVALID_PLAN",
    field: "steps[1].query_template",
    message: />>>SELEKT<<< 1"; did you mean SELECT\?/,
  },
  {
    cites: ["D4-repair"],
    title: "has a template in which a word after another one is misspelt",
    plan: one("SELECT 1 AS n FORM (VALUES (1)) AS t"),
    code: "INVALID_PLAN",
    field: "steps[1].query_template",
    message: />>>FORM<<< \(VALUES \(1\)\) AS t"; did you mean FROM\?/,
  },
  {
    cites: ["D4-one-statement"],
    title: "has a template of two statements",
    plan: one("SELECT 1; SELECT 2"),
    code: "INVALID_PLAN",
    field: "steps[1].query_template",
  },
  {
    cites: ["D4-limit-steps"],
    title: "has 1001 steps",
    plan: { steps: Array.from({ length: 1001 }, (_, i) => step(`s${i}`, "SELECT 1")) },
    code: "LIMIT_EXCEEDED",
    field: "steps",
    message: /1000/,
  },
  {
    cites: ["D4-limit-dependencies"],
    title: "has a step with 101 dependencies",
    plan: {
      steps: [
        ...Array.from({ length: 101 }, (_, i) => step(`s${i}`, "SELECT 1")),
        step("last", "SELECT 1", { depends_on: Array.from({ length: 101 }, (_, i) => `s${i}`) }),
      ],
    },
    code: "LIMIT_EXCEEDED",
    field: "steps[101].depends_on",
    message: /100/,
  },
  {
    cites: ["D4-limit-template"],
    title: "has a template over 64 KiB",
    plan: one(`SELECT '${"x".repeat(64 * 1024)}'`),
    code: "LIMIT_EXCEEDED",
    field: "steps[1].query_template",
  },
  {
    cites: ["D4-limit-templates"],
    title: "has templates over 512 KiB together",
    plan: {
      steps: Array.from({ length: 9 }, (_, i) => step(`s${i}`, `SELECT '${"x".repeat(60_000)}'`)),
    },
    code: "LIMIT_EXCEEDED",
    field: "steps",
  },
  ...(["name", "description", "session_id"] as const).map((field): Mistake => ({
    cites: ["D4-limit-texts"],
    title: `has a ${field} that is too long`,
    plan: { ...one("SELECT 1"), [field]: "x".repeat(field === "description" ? 8193 : 256) },
    code: "LIMIT_EXCEEDED",
    field,
  })),
];

export const validation: readonly Scenario[] = [
  ...MISTAKES.map(({ cites, title, plan, code, field, message }) =>
    scenario(
      [...cites, "D4-nothing-stored", "D4-field", "D9-invalid"],
      `a plan that ${title} is refused and leaves nothing behind`,
      async ({ client }) => {
        await expectRefusal(client.wire, client.submit(plan), {
          code,
          grpc: "INVALID_ARGUMENT",
          rest: 400,
          field,
          ...(message === undefined ? {} : { message }),
        });
        expect((await client.list({})).plans).toEqual([]);
      },
    ),
  ),
  scenario(["D4-cycle"], "a cycle is refused by name", async ({ client }) => {
    const plan = {
      steps: [
        step("a", "SELECT 1", { depends_on: ["c"] }),
        step("b", "SELECT 1", { depends_on: ["a"] }),
        step("c", "SELECT 1", { depends_on: ["b"] }),
      ],
    };
    const { message } = await expectRefusal(client.wire, client.submit(plan), {
      code: "PLAN_CYCLE",
      grpc: "INVALID_ARGUMENT",
      rest: 400,
    });
    for (const id of ["a", "b", "c"]) expect(message).toMatch(new RegExp(`\\b${id}\\b`));
    expect((await client.list({})).plans).toEqual([]);
  }),
  scenario(
    ["D4-intent-match"],
    "a template that does something else than its intent is refused",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      for (const [intent, sql] of [
        ["read_select", `DELETE FROM ${table}`],
        ["write_insert", `UPDATE ${table} SET id = 1`],
        ["write_update", `SELECT * FROM ${table}`],
        ["write_delete", `DROP TABLE ${table}`],
        ["read_select", `WITH x AS (SELECT 1) INSERT INTO ${table} SELECT * FROM x`],
      ] as const) {
        const call = client.submit({ steps: [step("a", sql, { intent })] });
        const { details } = await expectRefusal(client.wire, call, {
          code: "INVALID_PLAN",
          grpc: "INVALID_ARGUMENT",
          rest: 400,
        });
        expect(details[0]?.field).toMatch(/^steps\[0\]/);
      }
    },
  ),
  scenarioIn(
    "PostgreSQL",
    ["D4-every-part"],
    "a statement is refused when one part of it changes rows in another way than its intent",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      const insert = `WITH k AS (INSERT INTO ${table} VALUES (1) RETURNING id)`;
      for (const [intent, sql] of [
        ["write_update", `${insert} UPDATE ${table} SET id = 2`],
        ["write_delete", `${insert} DELETE FROM ${table}`],
        ["write_delete", `TRUNCATE ${table} CASCADE`],
        ["cross_system_transaction", `TRUNCATE ${table} CASCADE`],
        ["cross_system_transaction", `GRANT SELECT ON ${table} TO PUBLIC`],
        ["write_update", `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`],
        ["write_update", `CREATE POLICY p ON ${table} USING (true)`],
      ] as const) {
        const call = client.submit({ steps: [step("a", sql, { intent })] });
        const { details } = await expectRefusal(client.wire, call, {
          code: "INVALID_PLAN",
          grpc: "INVALID_ARGUMENT",
          rest: 400,
        });
        expect(details[0]?.field).toBe("steps[0].intent");
      }
      const sql = `${insert} UPDATE ${table} SET id = 2`;
      await client.submit({ steps: [step("a", sql, { intent: "cross_system_transaction" })] });
    },
  ),
  scenario(
    ["D4-intents", "C2.2-intent"],
    "each intent runs the statements it covers",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      const created = await steward.table();
      const { plan_id } = await client.submit({
        steps: [
          step("insert", `INSERT INTO ${table} VALUES (1), (2)`, { intent: "write_insert" }),
          step("update", `UPDATE ${table} SET id = id + 1`, { intent: "write_update" }),
          step("delete", `DELETE FROM ${table} WHERE id = 3`, { intent: "write_delete" }),
          step("create", `CREATE TABLE ${created} (id INTEGER)`, { intent: "admin" }),
          step("cross", `INSERT INTO ${created} SELECT id FROM ${table}`, {
            intent: "cross_system_transaction",
          }),
          step("read", `SELECT id FROM ${created}`, { intent: "read_select" }),
        ],
      });
      for (const id of ["insert", "update", "delete", "create", "cross"]) {
        await rowsOf(client, plan_id, id);
      }
      expect(await rowsOf(client, plan_id, "read")).toEqual([{ id: 2 }]);
    },
  ),
  scenario(
    ["D4-limit-values"],
    "a request with a list of more than 10 000 values is refused before it is checked",
    async ({ client }) => {
      const depends_on = Array<string>(10_001).fill("b");
      await expect(
        client.submit({ steps: [step("a", "SELECT 1", { depends_on })] }),
      ).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    },
  ),
  scenario(["D4-limit-steps"], "a plan of 1000 steps is taken", async ({ client }) => {
    const steps = Array.from({ length: 1000 }, (_, i) =>
      step(`s${i}`, "SELECT 1 AS n", { depends_on: i === 0 ? [] : [`s${i - 1}`] }),
    );
    const { plan_id } = await client.submit({ steps });
    expect((await client.getPlan(plan_id)).steps).toHaveLength(1000);
  }),
  scenario(
    ["D7-intent-statement"],
    "a step without intent gets the class of its statement",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      const { plan_id } = await client.submit({
        steps: [
          step("r", `SELECT * FROM ${table}`),
          step("i", `INSERT INTO ${table} VALUES (1)`),
          step("u", `UPDATE ${table} SET id = 2`),
          step("d", `DELETE FROM ${table}`),
          step("a", `DROP TABLE ${table}`),
        ],
      });
      expect((await client.getPlan(plan_id)).steps.map(({ intent }) => intent)).toEqual([
        "read_select",
        "write_insert",
        "write_update",
        "write_delete",
        "admin",
      ]);
    },
  ),
];
