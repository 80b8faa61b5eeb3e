import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Client } from "../client.js";
import { scenario, step, type Scenario } from "../scenario.js";

/** Forbids agents to read a column. */
const NO_PHONES = `@id("no-phones")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"read_select", resource)
  when { context.columns.contains("couriers/phone") };`;

/** Rows whose sample takes more tokens than the smallest budget of a description. */
const ROWS = ["night", "night", "day", "day"]
  .map((shift, at) => {
    const area = "the streets between the harbour and the northern end of the park, by bicycle";
    return `(${String(at)}, '${shift}', '555${String(at)}', '${area} ${String(at)}')`;
  })
  .join(", ");

async function run(client: Client, ...statements: readonly string[]): Promise<void> {
  const steps = statements.map((sql, index) => {
    const before = index === 0 ? [] : [`s${String(index - 1)}`];
    return step(`s${String(index)}`, sql, { depends_on: before });
  });
  const { plan_id } = await client.submit({ name: "a plan", steps });
  for (const { id } of steps) {
    expect(await client.execute(plan_id, id)).toMatchObject({ success: true });
  }
}

/** What an agent can find out about the data. */
export const catalog: readonly Scenario[] = [
  scenario(
    ["D18-search", "D18-describe", "D18-visible", "D18-listed", "D11-permitted"],
    "an agent finds and describes a table, without the column that policies forbid",
    async ({ client, steward }) => {
      const headers = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const admin = client.as(headers);
      const agent = client.as({ ...headers, "x-user-role": "agent" });
      await run(
        admin,
        "CREATE TABLE IF NOT EXISTS couriers (id integer PRIMARY KEY, shift text, phone text, area text)",
        "DELETE FROM couriers",
        `INSERT INTO couriers VALUES ${ROWS}`,
      );
      const body = JSON.stringify({ text: NO_PHONES, version: 0 });
      const url = `${steward.url}/api/policies`;
      const sent = { "content-type": "application/json", ...headers };
      expect((await fetch(url, { method: "PUT", headers: sent, body })).status).toBe(200);

      const [source] = (await agent.catalog.list()).data_sources;
      expect(source?.intents).toContain("read_select");
      expect(source?.intents).not.toContain("admin");

      const [found] = await agent.catalog.search("which courier has the night shift?");
      expect(found?.table).toBe("couriers");
      expect((await admin.catalog.search("phone"))[0]?.table).toBe("couriers");
      const hidden = await agent.catalog.search("phone");
      expect(hidden.map(({ table }) => table)).not.toContain("couriers");

      const whole = await agent.catalog.describe("couriers", 2000);
      expect(whole).toMatchObject({ left_out: [] });
      expect(whole.text).toMatch(
        /4 rows[^]*- shift text[^]*Primary key: id[^]*- shift: \w+ \| \w+/i,
      );
      expect(whole.text).not.toMatch(/phone|555/);
      const misspelt = step("a", "SELECT phne FROM couriers");
      const { plan_id } = await agent.submit({ name: "a plan", steps: [misspelt] });
      const { llm_context_update } = await agent.execute(plan_id, "a");
      expect(llm_context_update?.augmentation_hints.join("\n")).not.toContain("phone");
      const short = await agent.catalog.describe("couriers", 100);
      expect(short.tokens).toBeLessThanOrEqual(100);
      expect(short.left_out).toContain("sample_rows");
    },
  ),
];
