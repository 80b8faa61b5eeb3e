import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase } from "@steward/test-postgres";
import { expect } from "vitest";
import { expectRefusal, rowsOf } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { Steward } from "../steward.js";

const TOOLS = `
tools:
  - name: stock_query
    data_source: stock
    allowed_intents: [read_select]
`;

/** Starts a server with two data sources and a tools file. */
async function withTools(
  settings: Readonly<Record<string, string>>,
  run: (steward: Steward) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "steward-tools-"));
  try {
    for (const name of ["shop", "stock"]) {
      const database = new DatabaseSync(join(directory, `${name}.db`));
      database.exec(`CREATE TABLE here (name TEXT); INSERT INTO here VALUES ('${name}')`);
      database.close();
    }
    writeFileSync(join(directory, "tools.yaml"), TOOLS);
    await using steward = await Steward.start({
      SERVICE_DATA_SOURCES: `shop=sqlite:${directory}/shop.db,stock=sqlite:${directory}/stock.db`,
      SERVICE_TOOLS_FILE: join(directory, "tools.yaml"),
      ...settings,
    });
    await run(steward);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The data source of a tool's name, and its allowed intents. */
export const tools: readonly ProcessScenario[] = [
  {
    cites: ["D1-tools-file", "D1-default-source"],
    title:
      "a tools file binds a name to a data source and its intents, other names are the default's",
    run: () =>
      withTools({}, async (steward) => {
        const client = steward.client("rest");
        const { plan_id } = await client.submit({
          steps: [
            step("bound", "SELECT name FROM here", { tool_name: "stock_query" }),
            step("free", "SELECT name FROM here", { tool_name: "anything" }),
          ],
        });
        expect(await rowsOf(client, plan_id, "bound")).toEqual([{ name: "stock" }]);
        expect(await rowsOf(client, plan_id, "free")).toEqual([{ name: "shop" }]);
        const write = client.submit({
          steps: [step("write", "DELETE FROM here", { tool_name: "stock_query" })],
        });
        await expect(write).rejects.toMatchObject({ status: "400" });
      }),
  },
  {
    cites: ["D18-data-source"],
    title:
      "a step names its data source; the name of one as a tool's is refused, and another tool's runs on the default",
    run: () =>
      withTools({}, async (steward) => {
        for (const wire of ["grpc", "rest"] as const) {
          const client = steward.client(wire);
          const sql = "SELECT name FROM here";
          const { plan_id } = await client.submit({
            steps: [step("named", sql, { tool_name: "", data_source: "stock" }), step("free", sql)],
          });
          expect(await rowsOf(client, plan_id, "named")).toEqual([{ name: "stock" }]);
          const free = await client.execute(plan_id, "free");
          expect(free.llm_context_update?.tool_output_json).toBe('[{"name":"shop"}]');
          expect(free.llm_context_update?.augmentation_hints.join(" ")).toContain(
            "default data source shop",
          );
          const mistaken = client.submit({ steps: [step("a", sql, { tool_name: "stock" })] });
          await expectRefusal(wire, mistaken, {
            code: "INVALID_PLAN",
            grpc: "INVALID_ARGUMENT",
            rest: 400,
            field: "steps[0].tool_name",
            message: /set data_source to "stock"/,
          });
        }
      }),
  },
  {
    cites: ["D1-strict"],
    title: "in strict mode a name that is not listed is refused",
    run: () =>
      withTools({ SERVICE_TOOLS_STRICT: "true" }, async (steward) => {
        const client = steward.client("rest");
        await client.submit({ steps: [step("a", "SELECT 1", { tool_name: "stock_query" })] });
        const unlisted = client.submit({ steps: [step("a", "SELECT 1", { tool_name: "other" })] });
        await expectRefusal("rest", unlisted, {
          code: "INVALID_PLAN",
          grpc: "INVALID_ARGUMENT",
          rest: 400,
          field: "steps[0].tool_name",
        });
      }),
  },
  {
    cites: ["D11-readable"],
    title: "hints on PostgreSQL name only what the role of the data source may read",
    run: async () => {
      await using database = await freshDatabase();
      const role = `${database.name}_agent`;
      await database.query(`
        CREATE TABLE orders (id int, hidden_margin int); CREATE TABLE hidden_salaries (id int);
        CREATE ROLE ${role} LOGIN PASSWORD 'few'; GRANT SELECT (id) ON orders TO ${role}`);
      const url = new URL(database.url);
      [url.username, url.password] = [role, "few"];
      await using steward = await Steward.start({ SERVICE_DATA_SOURCES: url.href });
      const client = steward.client("rest");
      for (const sql of ["SELECT id FROM ordres", "SELECT idd FROM orders"]) {
        const { plan_id } = await client.submit({ steps: [step("a", sql)] });
        const { llm_context_update } = await client.execute(plan_id, "a");
        expect(llm_context_update?.augmentation_hints[0]).toMatch(/did you mean (orders|id)\?/);
        expect(llm_context_update?.augmentation_hints.join(" ")).not.toContain("hidden");
      }
      await database.query(`DROP OWNED BY ${role}`);
    },
  },
];
