import { expect } from "vitest";
import type { Client, ContextUpdate, StepInput, TableDelta } from "../client.js";
import { scenario, step, type Scenario } from "../scenario.js";

/** Runs one step and gives what the LLM is told. */
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
