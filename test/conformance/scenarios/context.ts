import { expect } from "vitest";
import type { Client, ContextUpdate, PageInput, StepInput, TableDelta } from "../client.js";
import { expectRefusal } from "../expectations.js";
import { scenario, scenarioOver, step, type Scenario } from "../scenario.js";

/** Runs one step and returns the context update. */
async function contextOf(client: Client, only: StepInput): Promise<ContextUpdate> {
  const { plan_id } = await client.submit({ steps: [only] });
  const { llm_context_update, error_message } = await client.execute(plan_id, only.id);
  expect(error_message).toBe("");
  if (llm_context_update === undefined) return expect.fail("no context update");
  return llm_context_update;
}

const brief = ({ table_name, operation }: TableDelta) => `${operation} ${table_name}`;

export const context: readonly Scenario[] = [
  scenario(
    ["D11-pages"],
    "the output of a step is handed out in pages, as the request or the step says",
    async ({ client }) => {
      const sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n";
      const { plan_id } = await client.submit({
        steps: [step("n", sql, { max_rows: 20 })],
      });
      const page = async (asked: PageInput = {}) => {
        const execution = await client.execute(plan_id, "n", asked);
        const update = execution.llm_context_update;
        const rows = JSON.parse(update?.tool_output_json ?? "") as readonly { i: number }[];
        const next = update?.next_offset ?? 0;
        return { execution, update, next, numbers: rows.map(({ i }) => i) };
      };
      const first = await page();
      expect(first.execution.step_result?.row_count).toBe(50);
      expect([first.numbers.length, first.next]).toEqual([20, 20]);
      expect(first.update?.augmentation_hints.join()).toContain("offset 20");
      const rest = await page({ offset: 20, max_rows: 1000 });
      expect([rest.numbers.length, rest.numbers.at(0), rest.next]).toEqual([30, 21, 0]);
      expect(rest.execution.replayed).toBe(true);
      const little = await page({ max_rows: 1000, max_bytes: 1024 });
      expect(little.numbers).toHaveLength(50);
      const refused = await client.execute(plan_id, "n", { max_bytes: 1 }).catch(() => undefined);
      expect(refused?.success ?? false).toBe(false);
      const wrong = client.submit({ steps: [step("a", "SELECT 1", { max_rows: 10_001 })] });
      await expectRefusal(client.wire, wrong, {
        ...{ code: "INVALID_PLAN", grpc: "INVALID_ARGUMENT", rest: 400 },
      });
    },
  ),
  scenario(
    ["D11-new", "D11-definition", "D11-hints"],
    "a table that a step creates is told with its definition",
    async ({ client, steward }) => {
      const parent = await steward.table("id INTEGER PRIMARY KEY");
      const table = await steward.table();
      const update = await contextOf(
        client,
        step(
          "create",
          `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, parent_id INTEGER REFERENCES ${parent}(id))`,
          { schema_table_hints: [table] },
        ),
      );
      expect(update.schema_additions.map(brief)).toEqual([`NEW ${table}`]);
      const definition = update.schema_additions[0]?.table_def_json ?? "";
      expect(() => JSON.parse(definition) as unknown).not.toThrow();
      const names = ["id", "name", "parent_id", "integer", "text", parent];
      for (const part of [...names, "columns", "foreign", "index", "primary"]) {
        expect(definition.toLowerCase()).toContain(part);
      }
      expect(update.augmentation_hints.join(" ")).toContain(table);
    },
  ),
  scenario(["D11-modified"], "a table that a step alters is told", async ({ client, steward }) => {
    const table = await steward.table("id INTEGER");
    const update = await contextOf(
      client,
      step("alter", `ALTER TABLE ${table} ADD COLUMN added TEXT`, { schema_table_hints: [table] }),
    );
    expect(update.schema_additions.map(brief)).toEqual([`MODIFIED ${table}`]);
    expect(update.schema_additions[0]?.table_def_json).toContain("added");
  }),
  scenario(["D11-removed"], "a table that a step drops is told", async ({ client, steward }) => {
    const table = await steward.table("id INTEGER");
    const update = await contextOf(
      client,
      step("drop", `DROP TABLE ${table}`, { schema_table_hints: [table] }),
    );
    expect(update.schema_additions.map(brief)).toEqual([`REMOVED ${table}`]);
  }),
  scenario(
    ["D11-touched"],
    "a table that the statement touches needs no hint",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      const update = await contextOf(
        client,
        step("alter", `ALTER TABLE ${table} ADD COLUMN b TEXT`),
      );
      expect(update.schema_additions.map(brief)).toEqual([`MODIFIED ${table}`]);
    },
  ),
  scenario(
    ["D11-error-first"],
    "the first hint of a step that failed begins with its error, whatever it failed with",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER PRIMARY KEY");
      const rows = step("rows", "SELECT 1 AS n");
      for (const failing of [
        step("a", `INSERT INTO ${table} VALUES (1), (1)`, { intent: "write_insert" }),
        step("a", "SELECT x FROM no_such_table"),
        step("a", "SELECT {{step.rows.output[7].n}} AS n", { depends_on: ["rows"] }),
      ]) {
        const { plan_id } = await client.submit({ steps: [rows, failing] });
        await client.execute(plan_id, "rows");
        const { error_message, llm_context_update } = await client.execute(plan_id, "a");
        expect(error_message).toMatch(/\S/);
        expect(llm_context_update).toMatchObject({ tool_output_json: "[]" });
        const [first] = llm_context_update?.augmentation_hints ?? [];
        expect(first?.startsWith(error_message), `${first} / ${error_message}`).toBe(true);
      }
    },
  ),
  scenario(
    ["D11-dialect"],
    "a text in double quotes is answered with the text in single ones",
    async ({ client, steward }) => {
      const table = await steward.table("name TEXT");
      const quoted = step("a", `SELECT name FROM ${table} WHERE name = "Ada"`);
      const { plan_id } = await client.submit({ steps: [quoted] });
      const { llm_context_update } = await client.execute(plan_id, "a");
      expect(llm_context_update?.augmentation_hints.join("\n")).toContain("write 'Ada'");
    },
  ),
  scenario(
    ["D11-correction"],
    "a column of a table that has an alias is answered with the alias",
    async ({ client, steward }) => {
      const table = await steward.table();
      await contextOf(client, step("create", `CREATE TABLE ${table} (id INTEGER, name TEXT)`));
      const wrong = step("a", `SELECT ${table}.name FROM ${table} AS x`);
      const { plan_id } = await client.submit({ steps: [wrong] });
      const { llm_context_update } = await client.execute(plan_id, "a");
      const hints = llm_context_update?.augmentation_hints.join("\n");
      expect(hints).toContain(`Use \`x.name\` instead of \`${table}.name\`.`);
    },
  ),
  scenario(
    ["D11-warning"],
    "a literal that a column never holds is answered with the value that was meant",
    async ({ client, steward }) => {
      const table = await steward.table();
      const status = "status TEXT CHECK (status IN ('open', 'paid'))";
      await contextOf(client, step("create", `CREATE TABLE ${table} (${status})`));
      const { augmentation_hints: hints } = await contextOf(
        client,
        step("a", `SELECT * FROM ${table} WHERE status = 'Paid'`),
      );
      expect(hints.join("\n")).toContain("Use `'paid'` instead of `'Paid'`.");
    },
  ),
  scenarioOver(
    "grpc",
    ["D11-error-first"],
    "a step that may not run says so in its context update too",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2", { depends_on: ["a"] })],
      });
      const { error_message, llm_context_update } = await client.execute(plan_id, "b");
      expect(llm_context_update?.augmentation_hints).toEqual([error_message]);
    },
  ),
  scenario(
    ["C2.5-empty"],
    "a step that changes no schema adds nothing",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER");
      const update = await contextOf(
        client,
        step("write", `INSERT INTO ${table} VALUES (1)`, { schema_table_hints: [table] }),
      );
      expect(update).toMatchObject({ schema_additions: [], augmentation_hints: [] });
    },
  ),
];
