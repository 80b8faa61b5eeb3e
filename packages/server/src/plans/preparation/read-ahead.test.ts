import { expect, it } from "vitest";
import { SqliteAnalyzer } from "../../adapters/sql-analyzer/index.js";
import type { StatementReader } from "../../governance/index.js";
import type { StepDefinition } from "../plan.js";
import type { ToolRegistry } from "../ports.js";
import { readAhead, templateKey } from "./read-ahead.js";

const analyzer = new SqliteAnalyzer();
// Reading ahead needs only the data source's dialect.
const tools = {
  resolve: () => ({ target: { name: "shop", dialect: "sqlite" } }),
} as unknown as ToolRegistry;

function steps(templates: readonly string[]): readonly StepDefinition[] {
  return templates.map((queryTemplate, index) => ({
    id: `s${String(index)}`,
    name: "",
    toolName: "sql",
    intent: "",
    queryTemplate,
    dependsOn: [],
    schemaTableHints: [],
  }));
}

it("reads each template of a plan once, and leaves wrong ones to the validation", async () => {
  const asked: string[] = [];
  const reader: StatementReader = {
    read: (sql) => {
      asked.push(sql);
      return Promise.resolve(analyzer.analyze(sql, "sqlite"));
    },
    advise: () => [],
    shape: () => undefined,
  };
  const read = (templates: readonly string[]) =>
    readAhead({ name: "", description: "", steps: steps(templates) }, tools, reader, "org-1");
  const long = `SELECT '${"x".repeat(5000)}'`;
  const found = await read([long, "DELETE FROM t", long, "SELECT {{wrong}}"]);
  expect(asked).toEqual([long, "DELETE FROM t"]);
  expect([...found.keys()]).toEqual(
    [long, "DELETE FROM t"].map((sql) => templateKey(sql, "sqlite")),
  );
  expect(found.get(templateKey("DELETE FROM t", "sqlite"))?.analysis).toMatchObject({
    statementClass: "write_delete",
  });
  // A text over a limit is refused, whatever it contains.
  expect((await read(Array<string>(110).fill(long))).size).toBe(0);
});

it("compiles one long template in a turn of the event loop, and serves organizations in turn", async () => {
  let turn = 0;
  const counting = (): void => {
    turn += 1;
    if (order.length < 9) setImmediate(counting);
  };
  const order: string[] = [];
  const turns = new Set<number>();
  const readLong = async (orgId: string, n: number): Promise<void> => {
    const reader: StatementReader = {
      read: (sql) => {
        turns.add(turn);
        order.push(orgId);
        return analyzer.analyze(sql, "sqlite");
      },
      shape: () => undefined,
      advise: () => [],
    };
    const template = `SELECT ${String(n)} -- ${"x".repeat(5000)}`;
    const plan = { name: "", description: "", steps: steps([template]) };
    await readAhead(plan, tools, reader, orgId);
  };
  counting();
  await Promise.all([
    ...Array.from({ length: 8 }, (_, n) => readLong("many", n)),
    readLong("one", 0),
  ]);
  expect(order.indexOf("one")).toBeLessThanOrEqual(2);
  expect(turns.size).toBe(9);
});
