import { afterAll, beforeAll, expect, it } from "vitest";
import type { StatementResult } from "../../plans/ports.js";
import { failureOf, runStatement } from "../testing/run-statement.js";
import { openShop, type Shop } from "./testing/shop.js";

/** Short statements about which the server reports much: their rewritten trees, or an error with a value. */
let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

/** PostgreSQL writes 200 kB about each of these views. */
const VIEW = "SELECT 1 FROM information_schema.columns";

function unitedViews(count: number): string {
  return `SELECT 1 WHERE false AND EXISTS(${Array.from({ length: count }, () => VIEW).join(" UNION ALL ")})`;
}

function run(sql: string): Promise<StatementResult> {
  return runStatement(shop.target, sql, {
    permit: () => Promise.resolve({}),
    ...{ waitMs: 30_000, timeoutMs: 30_000 },
  });
}

it.each([
  ["60 views", unitedViews(60)],
  ["80 views", unitedViews(80)],
  ["300 views", unitedViews(300)],
  ["20 000 values", `SELECT 1 WHERE 1 IN (${"1,".repeat(20_000)} 1)`],
])("is refused with its reason, and the next statement runs: %s", async (_, sql) => {
  const failed = await failureOf(run(sql));
  expect([failed.reason, failed.message]).toEqual([
    "statement",
    expect.stringContaining("too many tables, views and expressions for the policies"),
  ]);
  expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
});

it("a statement with a few large views runs", async () => {
  expect((await run(unitedViews(5))).rowCount).toBe(0);
});

it("an error that quotes a value of megabytes fails the step with its reason", async () => {
  const failed = await failureOf(run("SELECT repeat('x', 5000000)::integer"));
  expect([failed.reason, failed.message]).toEqual([
    "statement",
    expect.stringContaining("too long to read"),
  ]);
  expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
});
