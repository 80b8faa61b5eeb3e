/**
 * What hints suggest runs as it stands: a wrong statement fails, a fixer that knows nothing else does what the hint says,
 * and the engine accepts the outcome. PostgreSQL's messages are in a language that nobody has prepared for, so that only
 * SQLSTATEs and the statements themselves can lead to the names.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foreignMessages } from "../adapters/sql-target-postgres/testing/foreign-messages.js";
import type { Dialect } from "../governance/index.js";
import { fixedAsSaid } from "../hints/testing/mechanical-fixer.js";
import { type App, openApp } from "./app.js";

const TABLES = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE,
    CONSTRAINT name_given CHECK (name <> ''));
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers,
    total NUMERIC CHECK (total >= 0), status TEXT CHECK (status IN ('open', 'won''t pay')));
  CREATE TABLE "Order Lines" ("Line No" INTEGER PRIMARY KEY, "Order" INTEGER REFERENCES orders (id), "Net Sum" NUMERIC);
  CREATE INDEX orders_by_total ON orders (total);
  CREATE VIEW customer_list AS SELECT * FROM customers;
  INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com');
  INSERT INTO orders VALUES (1, 1, 5, 'open');
  INSERT INTO "Order Lines" VALUES (1, 1, 5)`;
const POSTGRES_ONLY = `
  CREATE SCHEMA archive; CREATE TABLE archive.old_orders (id integer);
  CREATE TYPE mood AS ENUM ('calm', 'cross'); CREATE SEQUENCE numbers;
  CREATE FUNCTION tax_of(amount numeric) RETURNS numeric LANGUAGE sql AS 'SELECT amount';
  CREATE FUNCTION taxes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TRIGGER order_taxes BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION taxes()`;
const POLICIES = `@id("no-mail") forbid (principal in Steward::Role::"agent", action,
  resource == Steward::Column::"postgres/customers/email");`;

const directory = mkdtempSync(join(tmpdir(), "steward-suggested-"));
let database: TestDatabase;
let server: Awaited<ReturnType<typeof foreignMessages>>;
let app: App;
beforeAll(async () => {
  const file = new DatabaseSync(join(directory, "shop.db"));
  file.exec(TABLES);
  file.close();
  database = await freshDatabase();
  await database.query(`${TABLES}; ${POSTGRES_ONLY}`);
  server = await foreignMessages(database.url);
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "sqlite", url: `sqlite:${join(directory, "shop.db")}` },
      { name: "postgres", url: server.url },
    ],
    tools: {
      strict: true,
      tools: [
        { name: "sqlite.sql", dataSource: "sqlite" },
        { name: "postgres.sql", dataSource: "postgres" },
      ],
    },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function as(role: string): ReturnType<typeof createClient> {
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  return createClient({ baseUrl, headers: { "x-user-role": role } });
}

async function run(sql: string, dialect: Dialect, role = "admin") {
  const { plans } = as(role);
  const steps = [{ id: "a", tool_name: `${dialect}.sql`, query_template: sql }];
  const { plan_id: planId } = await plans.submit({ steps });
  const { step_result: result, llm_context_update: update } = await plans.execute(planId, "a");
  return { isDone: result.status === "completed", hints: update.augmentation_hints };
}

/** The statement as its hints correct it. */
async function corrected(sql: string, dialect: Dialect): Promise<string> {
  const { isDone, hints } = await run(sql, dialect);
  expect([sql, isDone]).toEqual([sql, false]);
  const fixed = fixedAsSaid(sql, hints, dialect);
  expect(fixed, hints.join("\n")).toBeDefined();
  return fixed ?? "";
}

describe("a row that a constraint refuses", () => {
  it.each<[dialect: Dialect, sql: string]>([
    ["sqlite", "INSERT INTO customers (id, name) VALUES (1, 'Bo')"],
    ["sqlite", "INSERT INTO customers (id, name) VALUES (1, 'Bo') RETURNING id"],
    ["sqlite", "INSERT INTO customers (id, name) SELECT id, name FROM customers"],
    ["sqlite", "INSERT INTO customers (id, name) SELECT id, name FROM customers ORDER BY id"],
    ["sqlite", `INSERT INTO "Order Lines" ("Line No") VALUES (1)`],
    ["sqlite", "UPDATE orders SET status = 'Open'"],
    ["sqlite", "UPDATE orders SET status = 'wont pay'"],
    ["postgres", "INSERT INTO customers (id, name) VALUES (1, 'Bo') RETURNING id"],
    ["postgres", "INSERT INTO customers (id, name) SELECT id, name FROM customers"],
    ["postgres", `INSERT INTO "Order Lines" ("Line No") VALUES (1)`],
    ["postgres", "UPDATE orders SET status = 'wont pay'"],
  ])("is corrected by a statement that runs, on %s: %s", async (dialect, wrong) => {
    const fixed = await corrected(wrong, dialect);
    expect([fixed, (await run(fixed, dialect)).isDone]).toEqual([fixed, true]);
  });

  it.each<[dialect: Dialect, sql: string, queries: readonly string[]]>([
    ...(["sqlite", "postgres"] as const).flatMap(
      (dialect): [Dialect, string, readonly string[]][] => [
        [
          dialect,
          "INSERT INTO orders (id, customer_id) VALUES (2, 7)",
          ["SELECT id FROM customers"],
        ],
        [dialect, "UPDATE orders SET customer_id = 9", ["SELECT id FROM customers"]],
        [dialect, `INSERT INTO "Order Lines" VALUES (2, 9, 1)`, ["SELECT id FROM orders"]],
        [
          dialect,
          "DELETE FROM customers WHERE name = 'Ada'",
          [
            "SELECT id, customer_id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE name = 'Ada')",
          ],
        ],
        [
          dialect,
          "DELETE FROM orders",
          [`SELECT "Line No", "Order" FROM "Order Lines" WHERE "Order" IN (SELECT id FROM orders)`],
        ],
      ],
    ),
  ])(
    "is led to the rows on the other side of a foreign key, on %s: %s",
    async (dialect, wrong, queries) => {
      const { isDone, hints } = await run(wrong, dialect);
      const said = [...hints.join("\n").matchAll(/`(SELECT [^`]+)`/g)].map(
        ([, query = ""]) => query,
      );
      expect([isDone, said]).toEqual([false, queries]);
      for (const query of said) expect((await run(query, dialect)).isDone).toBe(true);
    },
  );

  it.each<[dialect: Dialect, sql: string, sentence: string]>([
    [
      "sqlite",
      "INSERT INTO customers (id, name) VALUES (2, '')",
      "Write values for which `name <> ''` is true in `customers`.",
    ],
    [
      "sqlite",
      "UPDATE orders SET total = -1",
      "Write values for which `total >= 0` is true in `orders`.",
    ],
    [
      "sqlite",
      "INSERT INTO customers VALUES (2, NULL, NULL)",
      "Give `name` a value that is not NULL.",
    ],
    ["sqlite", "INSERT INTO customers (id) VALUES (2)", "Name `name` among the columns too"],
    [
      "postgres",
      "UPDATE orders SET total = -1",
      "Write values for which `total >= (0)::numeric` is true in `orders`.",
    ],
  ])(
    "names the table or column and what it demands, on %s: %s",
    async (dialect, wrong, sentence) => {
      const { hints } = await run(wrong, dialect);
      expect(hints.join("\n")).toContain(sentence);
      const condition = /for which `([^`]+)` is true in `([^`]+)`/.exec(hints.join("\n"));
      if (condition === null) return;
      const [, text = "", table = ""] = condition;
      expect((await run(`SELECT count(*) FROM ${table} WHERE ${text}`, dialect)).isDone).toBe(true);
    },
  );
});

describe("a form of another database", () => {
  it.each([
    ["SELECT max(id, total) FROM orders", "greatest(a, b)"],
    ["SELECT id FROM orders WHERE id == 1", "Use `=` instead of `==`"],
    ["SELECT rowid FROM orders", "row_number() OVER ()"],
    ["SELECT 1 FROM dual", "SELECT 1"],
    ["SELECT CAST(id AS tinyint) FROM orders", "a::smallint"],
    ["SELECT ifnull(total, 0) FROM orders", "coalesce(total, 0)"],
    ['SELECT id FROM orders WHERE status = "it\'s"', "'it''s'"],
  ])("is answered without the words of the server: %s", async (wrong, part) => {
    const { isDone, hints } = await run(wrong, "postgres");
    expect([isDone, hints.join("\n")]).toEqual([false, expect.stringContaining(part)]);
  });
});

describe("a name outside of queries that nothing has", () => {
  // PostgreSQL reports no place for any of these. Each fixed statement is undone by none: they concern different objects.
  it.each([
    ["ALTER TABLE orders RENAME COLUMN totl TO total_sum", "RENAME COLUMN total TO"],
    ["ALTER TABLE orders RENAME COLUMN total_sm TO total", "RENAME COLUMN total_sum TO"],
    ["ALTER TABLE customers ALTER COLUMN emial SET DEFAULT 'x'", "email"],
    ["ALTER TABLE customers DROP CONSTRAINT nam_given", "DROP CONSTRAINT name_given"],
    ['ALTER TABLE "Order Lines" RENAME COLUMN net_sum TO "Gross Sum"', '"Net Sum"'],
    ["ALTER TABLE ordrs ADD COLUMN note text", "ALTER TABLE orders"],
    ["ALTER TABLE orders ADD COLUMN mood mod", "mood mood"],
    ["ALTER TABLE orders DISABLE TRIGGER order_tax", "TRIGGER order_taxes"],
    ["ALTER TABLE orders ADD FOREIGN KEY (custmer_id) REFERENCES customers (id)", "(customer_id)"],
    ["ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers (idd)", "(id)"],
    ["ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES custmers (id)", "customers (id)"],
    ["ALTER TABLE orders ADD UNIQUE (id, custmer_id)", "(id, customer_id)"],
    ["CREATE TABLE returned (id integer, o integer REFERENCES ordrs (id))", "orders (id)"],
    ["CREATE TABLE returns (id integer, o integer REFERENCES orders (idd))", "orders (id)"],
    ["CREATE TABLE archve.returns (id integer)", "archive.returns"],
    ["CREATE INDEX ON orders (custmer_id)", "(customer_id)"],
    ["CREATE STATISTICS s ON emial, name FROM customers", "ON email, name"],
    [
      "CREATE TRIGGER again BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION taxs()",
      "taxes()",
    ],
    ["COMMENT ON COLUMN customers.emial IS 'x'", "COLUMN customers.email"],
    ["COMMENT ON CONSTRAINT orders_totl_check ON orders IS '1'", "orders_total_check"],
    ["COMMENT ON FUNCTION tax_off(numeric) IS 'x'", "tax_of(numeric)"],
    ["GRANT SELECT (emial) ON customers TO PUBLIC", "(email)"],
    [
      "INSERT INTO customers VALUES (1, 'x') ON CONFLICT (idd) DO NOTHING",
      "ON CONFLICT (id) DO NOTHING",
    ],
    [
      "INSERT INTO customers VALUES (1, 'x') ON CONFLICT ON CONSTRAINT customers_emial_key DO NOTHING",
      "customers_email_key",
    ],
    ["SELECT nextval('numbrs')", "'numbers'"],
    ["SELECT 'ordrs'::regclass::text", "'orders'"],
    ["ALTER INDEX orders_by_totl RENAME TO orders_by_sum", "orders_by_total"],
    ["ALTER SEQUENCE numbrs RESTART", "numbers"],
    ["DROP INDEX orders_by_sm", "DROP INDEX orders_by_sum"],
    ["DROP SEQUENCE numbrs", "numbers"],
    ["DROP VIEW customer_lst", "customer_list"],
    ["DROP FUNCTION tax_off(numeric)", "tax_of(numeric)"],
    ["DROP TABLE archve.old_orders", "archive.old_orders"],
  ])("is corrected without the words of the server: %s", async (wrong, part) => {
    const fixed = await corrected(wrong, "postgres");
    expect(fixed).toContain(part);
    const { isDone, hints } = await run(fixed, "postgres");
    // A row that is there already is another matter.
    expect([fixed, isDone || /UNIQUE|ON CONFLICT/.test(wrong)], hints.join("\n")).toEqual([
      fixed,
      true,
    ]);
  });

  it.each([
    ["ALTER TABLE orders RENAME COLUMN totl TO total_sum", "total"],
    ["DROP INDEX orders_by_totl", "orders_by_total"],
    ["DROP VIEW customer_lst", "customer_list"],
  ])("is corrected on SQLite: %s", async (wrong, part) => {
    const fixed = await corrected(wrong, "sqlite");
    expect(fixed).toContain(part);
    expect(await run(fixed, "sqlite")).toMatchObject({ isDone: true });
  });

  it("is not told to a caller who may not read the column", async () => {
    const wrong =
      "INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (emial) DO UPDATE SET name = 'x'";
    const ofAdmin = await run(wrong, "postgres");
    expect(ofAdmin.hints.join("\n")).toContain("Use `email` instead of `emial`.");
    await as("admin").policies.putPolicies({ text: POLICIES, version: 0 });
    const { isDone, hints } = await run(wrong, "postgres", "agent");
    expect([isDone, hints.filter((hint) => hint.includes("email"))]).toEqual([false, []]);
  });
});
