import { expect } from "vitest";
import { billingAdmin, today } from "../billing-expectations.js";
import { rowsOf } from "../expectations.js";
import { scenario, step, type Scenario } from "../scenario.js";

const NAMES = {
  get_order: ["read_select", 1],
  "orders.list": ["read_select", 1],
  mcp__shop__create_order: ["write_insert", 3],
  updateOrder: ["write_update", 3],
  "delete-order": ["write_delete", 3],
  drop_table: ["admin", 5],
  execute_sql: ["admin", 5],
  execute_query: ["read_select", 1],
  frobnicate: ["write_update", 3],
} as const;

/** How tool calls become usage: which calls count, and their weights. */
export const toolCalls: readonly Scenario[] = [
  scenario(
    ["C1-usage", "C2.10-weights", "C2.11-daily", "C4.5-one-row", "C4.5-cost", "D14-reports"],
    "each executed step weighs by its intent, and is reported at once",
    async ({ steward, client }) => {
      const table = await steward.table("id INTEGER, name TEXT");
      const { plan_id } = await client.submit({
        steps: [
          step("read", `SELECT * FROM ${table}`, { intent: "read_select" }),
          step("insert", `INSERT INTO ${table} VALUES (1, 'a')`, { intent: "write_insert" }),
          step("update", `UPDATE ${table} SET name = 'b'`, { intent: "write_update" }),
          step("delete", `DELETE FROM ${table}`, { intent: "write_delete" }),
          step("drop", `DROP TABLE ${table}`, { intent: "admin" }),
        ],
      });
      const { billing } = billingAdmin(client);
      let weight = 0;
      for (const [id, aau] of [
        ["read", 1],
        ["insert", 3],
        ["update", 3],
        ["delete", 3],
        ["drop", 5],
      ] as const) {
        await rowsOf(client, plan_id, id);
        weight += aau;
        expect((await billing.usage())[0]?.total_aau).toBe(weight);
      }
      expect(await billing.usage()).toEqual([
        { date: today(), action_count: 5, total_aau: 15, total_cost_usd: 0 },
      ]);
    },
  ),
  scenario(
    ["D7-row"],
    "a failed attempt counts, and what called no tool does not",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("a", "SELECT 1 AS n"),
          step("b", "SELECT json('nonsense')", { depends_on: ["a"] }),
        ],
      });
      await client.execute(plan_id, "b");
      await rowsOf(client, plan_id, "a");
      await client.execute(plan_id, "a");
      expect(await client.execute(plan_id, "b")).toMatchObject({ success: false });
      expect(await client.execute(plan_id, "b")).toMatchObject({ replayed: true });
      expect(await billingAdmin(client).billing.usage()).toMatchObject([
        { action_count: 2, total_aau: 2 },
      ]);
    },
  ),
  scenario(
    ["C2.10-intent", "D7-intent-explicit", "D7-intent-statement"],
    "the intent given with a step comes before that of its statement",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("told", "SELECT 1", { intent: "admin" }), step("parsed", "SELECT 1")],
      });
      await rowsOf(client, plan_id, "told");
      await rowsOf(client, plan_id, "parsed");
      const rows = await billingAdmin(client).billing.usage({ group_by: "intent" });
      expect(rows).toMatchObject([
        { intent: "admin", total_aau: 5 },
        { intent: "read_select", total_aau: 1 },
      ]);
    },
  ),
  scenario(
    ["C2.10-name", "C2.10-weights", "D7-intent-name", "D7-intent-unknown", "C2.10-intent"],
    "a call without an intent weighs by its tool's name",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      const events = Object.keys(NAMES).map((tool_name) => ({
        id: tool_name,
        source: "urn:example",
        data: { tool_name },
      }));
      const told = { tool_name: "delete_everything", intent: "cross_system_transaction" };
      await billing.report([...events, { id: "told", source: "urn:example", data: told }]);
      const rows = await billing.usage({ group_by: "tool" });
      const weights = Object.fromEntries(rows.map((row) => [row.tool_name, row.total_aau]));
      const expected = Object.entries(NAMES).map(([name, [, weight]]) => [name, weight]);
      expect(weights).toEqual({ ...Object.fromEntries(expected), delete_everything: 5 });
      const intents = await billing.usage({ group_by: "intent" });
      expect(intents.map(({ intent, action_count }) => [intent, action_count])).toEqual([
        ["admin", 2],
        ["cross_system_transaction", 1],
        ["read_select", 3],
        ["write_delete", 1],
        ["write_insert", 1],
        ["write_update", 2],
      ]);
    },
  ),
];
