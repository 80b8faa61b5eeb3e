import { DatabaseSync } from "@photostructure/sqlite";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { anonymousCaller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { introspectSqlite } from "@steward/schema/sqlite-catalog";
import { afterAll, expect, it } from "vitest";
import { noCatalogRows } from "../adapters/catalog-rows.js";
import { CheckedProvider, HashProvider } from "../embedding/index.js";
import { CatalogService } from "./catalog-service.js";
import { QUESTIONS } from "./testing/questions.js";
import { thousandTables } from "./testing/thousand-tables.js";

const DIMENSION = 768;
const service = serviceOver(thousandTables());
afterAll(() => service[Symbol.asyncDispose]());

/** The catalog of one data source, without policies, rows and memory. */
function serviceOver(tables: readonly string[]): CatalogService {
  const db = new DatabaseSync(":memory:");
  for (const table of tables) db.exec(table);
  const schema = introspectSqlite(db);
  db.close();
  return new CatalogService({
    sources: [{ name: "all", dialect: "sqlite" }],
    tools: [],
    mcpTools: [],
    isStrict: false,
    access: new DataSourceAccess([{ name: "all" }]),
    policy: {
      looksAtData: () => Promise.resolve(false),
      permit: () => Promise.resolve({}),
      permits: () => Promise.resolve(true),
    },
    schemas: { of: () => Promise.resolve(schema) },
    rows: noCatalogRows,
    earlier: { like: () => Promise.resolve([]) },
    provider: new CheckedProvider(new HashProvider(DIMENSION), DIMENSION),
    notes: new Map(),
    clock: systemClock,
    log: silentLog,
  });
}

it("finds the right one of a thousand tables among the first five for nine questions in ten", async () => {
  expect(thousandTables()).toHaveLength(1000);
  expect(QUESTIONS).toHaveLength(100);
  const caller = anonymousCaller();
  const { signal } = new AbortController();
  // The first search reads the schema and waits for the vectors.
  await service.search(caller, { query: "orders" }, signal);
  const missed: string[] = [];
  const durationsMs: number[] = [];
  for (const [query, table] of QUESTIONS) {
    const startMs = performance.now();
    const found = await service.search(caller, { query, limit: 5 }, signal);
    durationsMs.push(performance.now() - startMs);
    const names = found.map((each) => each.table);
    if (!names.includes(table)) missed.push(`${query} ${table}: ${names.join(", ")}`);
  }
  const p95 = durationsMs.toSorted((a, b) => a - b)[94] ?? 0;
  process.stdout.write(`found ${String(100 - missed.length)} of 100, p95 ${p95.toFixed(1)} ms\n`);
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(10);
});
