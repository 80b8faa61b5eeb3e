import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient, type StewardClient } from "@steward/client";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { silentLog } from "@steward/kernel/log.js";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/** The catalog of a server with a data source on SQLite and one on PostgreSQL, over REST, under policies. */
const directory = mkdtempSync(join(tmpdir(), "steward-catalog-"));

let app: App;
let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(CLINIC);
  const shop = new DatabaseSync(join(directory, "shop.db"));
  shop.exec(SHOP);
  shop.close();
  app = await openApp({
    port: 0,
    log: silentLog,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "shop", url: `sqlite:${join(directory, "shop.db")}` },
      { name: "clinic", url: database.url },
    ],
    tools: {
      strict: true,
      notes: new Map([
        [
          "shop",
          {
            description: "the web shop",
            tables: new Map([
              [
                "orders",
                {
                  description: "one row for each checkout",
                  columns: new Map([["total", "in euros, with VAT"]]),
                  questions: ["What was our turnover?"],
                  metrics: [
                    {
                      ...{ name: "basket", expression: "avg(total)", dimensions: ["customer_id"] },
                      description: "in euros",
                    },
                  ],
                },
              ],
              [
                "customers",
                {
                  ...{ columns: new Map(), questions: [] },
                  metrics: [
                    { name: "reachable", expression: "count(DISTINCT Email)", dimensions: [] },
                    { name: "clientele", expression: "count(*)", dimensions: [] },
                  ],
                },
              ],
            ]),
          },
        ],
      ]),
      tools: [
        { name: "shop.query", dataSource: "shop", allowedIntents: ["read_select"] },
        { name: "clinic.query", dataSource: "clinic" },
      ],
    },
    embedding: { provider: "hash", dimension: 256 },
    dataDir: directory,
  });
  await as("admin").policies.putPolicies({ text: POLICIES, version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await owner.end();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const SHOP = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT NOT NULL UNIQUE);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, status TEXT, total NUMERIC);
CREATE TABLE salaries (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, sum INT);
INSERT INTO customers VALUES (1, 'Ann', 'ann@example.org'), (2, 'Bob', 'bob@example.org');
INSERT INTO orders VALUES (1, 1, 'open', 5), (2, 1, 'paid', 6), (3, 2, 'paid', 7), (4, 2, 'open', 8);
`;

const CLINIC = `
CREATE TYPE severity AS ENUM ('mild', 'grave');
CREATE TABLE patients (
  id int PRIMARY KEY, name text, ssn text, born date, seen timestamptz, weight numeric(5, 1), steps bigint);
COMMENT ON TABLE patients IS 'People under treatment';
CREATE TABLE visits (id int PRIMARY KEY, patient_id int REFERENCES patients, level severity, ward text);
COMMENT ON COLUMN visits.ward IS 'where the bed stands';
INSERT INTO patients SELECT n, 'P' || n, 'secret-' || n, DATE '1990-01-01' + n,
  TIMESTAMPTZ '2025-01-01 00:00:00Z' + n * INTERVAL '1 hour', n / 10.0, n * 7 FROM generate_series(1, 1500) n;
INSERT INTO visits SELECT n, n, 'mild', CASE n % 2 WHEN 0 THEN 'north' ELSE 'south' END
FROM generate_series(1, 20) n;
CREATE SCHEMA lab CREATE TABLE probes (id int PRIMARY KEY) CREATE TABLE samples (id int PRIMARY KEY);
CREATE SCHEMA archive CREATE TABLE samples (id int PRIMARY KEY);
`;

/** Agents see neither salaries nor e-mail addresses, and of patients no social security number. */
const POLICIES = `
@id("no-salaries") forbid (principal in Steward::Role::"agent", action, resource == Steward::Table::"shop/salaries");
@id("no-mail") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"shop/customers/email");
@id("no-ssn") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"clinic/patients/ssn");
@id("nobody-writes") forbid (principal in Steward::Role::"agent", action in Steward::Action::"writes", resource in Steward::DataSource::"clinic");
`;

function as(role: string): StewardClient {
  return createClient({
    baseUrl: `http://127.0.0.1:${String(app.address.port)}`,
    headers: { "x-user-role": role },
  });
}

describe("the catalog", () => {
  it("lists the tools and data sources with the intents that policies permit", async () => {
    const { data_sources: sources, tools, ...rest } = await as("agent").catalog.listCatalog();
    expect(sources[0]?.description).toBe("the web shop");
    expect(sources.map(({ name, dialect }) => `${name} ${dialect}`)).toEqual([
      "shop sqlite",
      "clinic postgres",
    ]);
    expect(tools).toEqual([
      { name: "shop.query", data_source: "shop", intents: ["read_select"] },
      { name: "clinic.query", data_source: "clinic", intents: ["read_select"] },
    ]);
    expect(rest).toEqual({});
  });

  it("checks which data sources answer the caller now", async () => {
    const checks = async (role: string): Promise<readonly string[]> => {
      const sources = await as(role).catalog.checkDataSources();
      return sources.map(({ name, answers }) => `${name} ${answers ? "answers" : "is silent"}`);
    };
    expect(await checks("agent")).toEqual(["shop answers", "clinic answers"]);
    const url = new URL(database.url);
    const clinic = `DATABASE "${url.pathname.slice(1)}"`;
    url.pathname = "/postgres";
    const administrator = new Client({ connectionString: url.href });
    await administrator.connect();
    try {
      await administrator.query(`ALTER ${clinic} ALLOW_CONNECTIONS false`);
      await owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      expect(await checks("agent")).toEqual(["shop answers", "clinic is silent"]);
    } finally {
      await administrator.query(`ALTER ${clinic} ALLOW_CONNECTIONS true`);
      await administrator.end();
    }
    expect(await checks("agent")).toEqual(["shop answers", "clinic answers"]);
  });

  it("lists the tables of a data source page by page, without what policies forbid", async () => {
    const { tables } = await as("agent").catalog.listTables({ data_source: "shop" });
    expect(tables.map(({ table }) => table)).toEqual(["customers", "orders"]);
    expect(tables[0]?.columns.map(({ name }) => name)).toEqual(["id", "name"]);
    expect(tables[1]).toMatchObject({
      description: "one row for each checkout",
      primary_key: ["id"],
      foreign_keys: [{ columns: ["customer_id"], table: "customers", references: ["id"] }],
    });
    const admin = as("admin").catalog;
    const first = await admin.listTables({ data_source: "shop", limit: 2 });
    expect(first.next_cursor).toBe("orders");
    const cursor = first.next_cursor ?? "";
    const second = await admin.listTables({ data_source: "shop", limit: 2, cursor });
    expect(second.tables.map(({ table }) => table)).toEqual(["salaries"]);
    expect(second.next_cursor).toBeUndefined();
    const near = await admin.listTables({ data_source: "shop", around: "Customers" });
    expect(near.tables.map(({ table }) => table)).toEqual(["customers", "orders", "salaries"]);
    const named = await admin.listTables({ data_source: "clinic", name: "PAT" });
    expect(named.tables.map(({ table }) => table)).toEqual(["patients"]);
    const hidden = as("agent").catalog.listTables({ data_source: "shop", around: "salaries" });
    await expect(hidden).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("describes a table of SQLite with values, joins and sample rows", async () => {
    const { text, left_out: leftOut } = await as("admin").catalog.describeTable({
      table: "Orders",
    });
    expect(text.split("\n")).toEqual([
      "table orders in shop (sqlite), 4 rows",
      ...[
        "Columns:",
        "- id INTEGER",
        "- customer_id INT",
        "- status TEXT",
        "- total NUMERIC, 5 to 8",
      ],
      "one row for each checkout",
      ...["Metrics:", "- basket = avg(total) by customer_id: in euros"],
      ...["Primary key: id", "Foreign key: customer_id references customers(id)"],
      ...["Values:", "- status: open | paid"],
      ...["About the columns:", "- total: in euros, with VAT"],
      "Joins:",
      "- customers: JOIN customers ON orders.customer_id = customers.id",
      "- salaries: JOIN customers ON orders.customer_id = customers.id JOIN salaries ON salaries.customer_id = customers.id",
      "Sample rows:",
      ...['[1,1,"open",5]', '[2,1,"paid",6]', '[3,2,"paid",7]'],
      ...["Questions that it answers:", "- What was our turnover?"],
    ]);
    expect(leftOut).toEqual([]);
  });

  it("describes a table of PostgreSQL with its comments, its enum's values and a count of many rows", async () => {
    const visits = await as("admin").catalog.describeTable({ table: "public.visits" });
    expect(visits.text).toContain("- level: mild | grave\n- ward: south | north");
    expect(visits.text).toContain("- ward: where the bed stands");
    const patients = await as("admin").catalog.describeTable({ table: "patients" });
    expect(patients.text).toContain("table patients in clinic (postgres), 1500 rows");
    expect(patients.text).toContain("- born date, 1990-01-02 to 1994-02-09\n");
    expect(patients.text).toMatch(/- seen timestamp with time zone, 2025-01-01 .* to 2025-03-04 /);
    expect(patients.text).toContain("- weight numeric(5,1), 0.1 to 150\n");
    expect(patients.text).toContain("- steps bigint, 7 to 10500\n");
    expect(patients.text).toContain("People under treatment");
  });

  it("shows nothing of tables and columns that the caller may not read", async () => {
    const { catalog } = as("agent");
    const orders = await catalog.describeTable({ table: "orders" });
    expect(orders.text).toContain("JOIN customers");
    expect(orders.text).not.toContain("salaries");
    const customers = await catalog.describeTable({ table: "customers" });
    expect(customers.text).toContain('[1,"Ann"]');
    expect(customers.text).not.toMatch(/email|example\.org|Unique|reachable/i);
    expect(customers.text).toContain("Metrics:\n- clientele = count(*)\n");
    const whole = await as("admin").catalog.describeTable({ table: "customers" });
    expect(whole.text).toContain("- reachable = count(DISTINCT Email)\n");
    const patients = await catalog.describeTable({ table: "patients" });
    expect(patients.text).toContain("1500 rows");
    expect(patients.text).not.toMatch(/ssn|secret/);
    await expect(catalog.describeTable({ table: "salaries" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.not.stringContaining("did you mean") as string,
    });
  });

  it("finds no table by what the caller may not read", async () => {
    const namesOf = async (role: string, query: string): Promise<readonly string[]> =>
      (await as(role).catalog.searchCatalog({ query })).map(({ table }) => table);
    expect((await namesOf("admin", "salaries"))[0]).toBe("salaries");
    expect(await namesOf("agent", "salaries")).not.toContain("salaries");
    expect((await namesOf("admin", "reachable"))[0]).toBe("customers");
    expect(await namesOf("agent", "reachable")).not.toContain("customers");
    expect((await namesOf("admin", "ssn"))[0]).toBe("patients");
    expect(await namesOf("agent", "ssn")).not.toContain("patients");
  });

  it("finds tables by comments, by values that were read, and by statements that ran", async () => {
    const { catalog, plans } = as("admin");
    expect((await catalog.searchCatalog({ query: "under treatment" }))[0]?.table).toBe("patients");
    expect((await catalog.searchCatalog({ query: "turnover in May" }))[0]?.table).toBe("orders");
    expect((await catalog.searchCatalog({ query: "the basket" }))[0]).toMatchObject({
      ...{ table: "orders", columns: [{ name: "customer_id" }] },
    });
    await catalog.describeTable({ table: "visits" });
    expect((await catalog.searchCatalog({ query: "how many in the north?" }))[0]).toMatchObject({
      ...{ data_source: "clinic", table: "visits", kind: "table" },
      columns: [{ name: "ward", type: "text" }],
    });
    const query = "SELECT total FROM orders WHERE status = 'open'";
    const { plan_id: planId } = await plans.submit({
      session_id: "s",
      name: "revenue",
      steps: [{ id: "a", name: "a", tool_name: "shop.query", query_template: query }],
    });
    await plans.execute(planId, "a");
    await expect
      .poll(async () => (await catalog.searchCatalog({ query }))[0]?.earlier_statement)
      .toBe(query);
  });

  it("knows what a step has changed in the schema", async () => {
    const { catalog, plans } = as("admin");
    const before = await catalog.describeTable({ table: "visits" });
    const { plan_id: planId } = await plans.submit({
      session_id: "s",
      name: "beds",
      steps: [
        {
          ...{ id: "a", name: "a", tool_name: "clinic.query" },
          query_template: "ALTER TABLE visits ADD COLUMN bed text",
        },
      ],
    });
    await plans.execute(planId, "a");
    const after = await catalog.describeTable({ table: "visits" });
    expect(after.text).toContain("- bed text");
    expect(after.schema_version).not.toBe(before.schema_version);
  });

  it("finds a table of another schema by its own name, as long as only one has it", async () => {
    const { catalog } = as("admin");
    expect((await catalog.describeTable({ table: "probes" })).text).toContain(
      "table lab.probes in",
    );
    const ambiguous = catalog.describeTable({ table: "samples", data_source: "clinic" });
    await expect(ambiguous).rejects.toThrow(
      /no table "samples" in clinic; did you mean \w+\.samples/,
    );
  });

  it("says which argument is wrong", async () => {
    const { catalog } = as("admin");
    const messages = await Promise.all(
      [
        catalog.searchCatalog({ query: " " }),
        catalog.searchCatalog({ query: "x", limit: 51 }),
        catalog.searchCatalog({ query: "x", data_source: "shops" }),
        catalog.describeTable({ table: "orders", token_budget: 99 }),
        catalog.describeTable({ table: "order" }),
      ].map((call) => call.catch((error: unknown) => (error as Error).message)),
    );
    expect(messages).toEqual([
      "query: must not be empty",
      "limit: must be an integer from 1 to 50",
      'There is no data source "shops"; there are: shop, clinic',
      "token_budget: must be an integer from 100 to 100000",
      'There is no table "order" in shop, clinic; did you mean orders?',
    ]);
  });
});
