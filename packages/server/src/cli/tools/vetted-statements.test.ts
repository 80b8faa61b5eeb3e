import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { runHere } from "../testing/run-here.js";

/** The example of the documentation is tested on the sample database. */
const directory = mkdtempSync(join(tmpdir(), "steward-vetted-statements-"));
const database = join(directory, "shop.db");
const page = readFileSync(new URL("../../../../../docs/tools-file.md", import.meta.url), "utf8");
const example = /## Tools with a statement of their own.*?```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";

beforeAll(() => {
  createSampleDatabase(database);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function testWith(text: string, ...options: readonly string[]) {
  const file = join(directory, "tools.yaml");
  writeFileSync(file, text);
  const env = { SERVICE_TOOLS_FILE: file, SERVICE_DATA_SOURCES: `shop=sqlite:${database}` };
  return runHere(["tools", "test", ...options], { cwd: directory, env });
}

it("passes the tests of the documentation's tools, and changes nothing", async () => {
  const { code, stdout, stderr } = await testWith(example);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/best_customers +1 +passed/);
  expect(stdout).toMatch(/ship_orders +1 +passed/);
  const db = new DatabaseSync(database, { readOnly: true });
  expect({ ...db.prepare("SELECT status FROM orders WHERE id = 4").get() }).toEqual({
    status: "paid",
  });
  db.close();
});

it("fails for what is returned instead, for another number of rows, and for a read that writes", async () => {
  const wrong = example
    .replace("orders: 9", "orders: 8")
    .replace("row_count: 1", "row_count: 2")
    .concat(
      "  - name: hidden_write\n    description: says that it reads\n    data_source: shop\n" +
        "    statement: DELETE FROM order_items\n    tests: [{ row_count: 0 }]\n" +
        "  - { name: untested, description: has no tests, data_source: shop, statement: SELECT 1 }\n",
    );
  const { code, stdout } = await testWith(wrong, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      tool: "best_customers",
      passed: false,
      problem: 'returned [{"name":"Grace Mbeki","orders":10},{"name":"Ada Lindqvist","orders":9}]',
    },
    { tool: "ship_orders", passed: false, problem: "has 1 rows instead of 2" },
    { tool: "hidden_write", test: 1, passed: false },
    { tool: "untested", test: 0, passed: true },
  ]);
});
