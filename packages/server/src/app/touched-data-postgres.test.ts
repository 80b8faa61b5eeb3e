import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";

/**
 * Policies on tables and columns, checked against the data that a statement really touches on
 * PostgreSQL: each way to reach a table without naming it, or a column without selecting it, is
 * tried over REST on a server with a real data source.
 */
const directory = mkdtempSync(join(tmpdir(), "steward-touched-"));

let app: App;
let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(SCHEMA);
  app = await openApp({
    port: 0,
    log: silentLog,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: database.url }],
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

const SCHEMA = `
CREATE TABLE customers (
  id int PRIMARY KEY, name text, email text UNIQUE,
  mail text GENERATED ALWAYS AS (lower(email)) VIRTUAL,
  stored_mail text GENERATED ALWAYS AS (upper(email)) STORED);
CREATE TABLE orders (
  id serial PRIMARY KEY, customer_id int REFERENCES customers ON DELETE CASCADE, note text);
CREATE TABLE salaries (id int PRIMARY KEY, sum int);
CREATE TABLE teams (id int PRIMARY KEY, boss int REFERENCES salaries ON DELETE CASCADE);
CREATE TABLE bonuses (id int REFERENCES teams ON DELETE CASCADE);
CREATE TABLE heads (id int PRIMARY KEY);
ALTER TABLE salaries ADD COLUMN head int REFERENCES heads ON DELETE CASCADE;
CREATE TABLE referred (id int PRIMARY KEY);
CREATE TABLE referring (id int REFERENCES referred);
CREATE TABLE notes (text text);
CREATE TABLE memos (text text);
CREATE TABLE guesses (email text, id int);
CREATE TABLE events (id int, year int) PARTITION BY LIST (year);
CREATE TABLE events_now PARTITION OF events FOR VALUES IN (2026);
CREATE TABLE events_secret PARTITION OF events FOR VALUES IN (2025);
CREATE TABLE logs (id int, year int) PARTITION BY LIST (year);
CREATE TABLE logs_now PARTITION OF logs FOR VALUES IN (2026);
CREATE VIEW pay AS SELECT * FROM salaries;
CREATE VIEW top_pay AS SELECT max(sum) AS top FROM pay;
CREATE MATERIALIZED VIEW kept_pay AS SELECT id FROM salaries;
CREATE MATERIALIZED VIEW kept_customers AS SELECT c AS whole FROM customers c;
CREATE VIEW contacts AS SELECT id, email AS contact FROM customers;
CREATE VIEW names AS SELECT id, name FROM customers;
CREATE RULE memo AS ON INSERT TO memos DO ALSO INSERT INTO salaries (id) VALUES (7);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO salaries (id, sum) VALUES (8, 1); RETURN new; END $$;
CREATE TRIGGER noted AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION noted();
CREATE FUNCTION top() RETURNS int LANGUAGE sql STABLE AS 'SELECT max(sum) FROM salaries';
CREATE FUNCTION top_top() RETURNS int LANGUAGE sql STABLE BEGIN ATOMIC SELECT top(); END;
CREATE VIEW by_function AS SELECT top_top() AS top;
CREATE FUNCTION hidden() RETURNS int LANGUAGE plpgsql STABLE AS $$
  DECLARE n int; BEGIN EXECUTE 'SELECT max(sum) FROM sal' || 'aries' INTO n; RETURN n; END $$;
CREATE VIEW by_hidden AS SELECT hidden() AS top;
CREATE SCHEMA vault;
CREATE TABLE vault.gold (id int PRIMARY KEY, weight int);
CREATE INDEX by_weight ON vault.gold (weight);
CREATE POLICY own ON vault.gold USING (true);
CREATE TYPE vault.mood AS ENUM ('good', 'bad');
CREATE DOMAIN vault.weight AS int CHECK (VALUE > 0);
CREATE TABLE moods (id int PRIMARY KEY, mood vault.mood);
CREATE FUNCTION vault.is_fine(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0';
ALTER TABLE moods ADD CHECK (vault.is_fine(id));
CREATE FUNCTION vault.top() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(weight)::text FROM vault.gold';
CREATE TYPE calm AS ENUM ('very');
INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com');
INSERT INTO orders (customer_id, note) VALUES (1, 'first');
INSERT INTO guesses VALUES ('ada@example.com', 1);
REFRESH MATERIALIZED VIEW kept_customers;`;

/** An organization whose agents may use neither salaries nor the customers' addresses. */
const POLICIES = `
@id("no-salaries") forbid (
  principal in Steward::Role::"agent", action, resource == Steward::Table::"shop/salaries");
@id("no-secrets") forbid (
  principal in Steward::Role::"agent", action,
  resource == Steward::Table::"shop/public.events_secret");
@id("no-logs") forbid (
  principal in Steward::Role::"agent", action, resource == Steward::Table::"shop/logs");
@id("no-emails") @reason("Addresses are private") forbid (
  principal in Steward::Role::"agent", action,
  resource == Steward::Column::"shop/public.customers/email");
@id("no-hidden-functions") forbid (
  principal in Steward::Role::"agent", action in Steward::Action::"statements", resource)
  when { context.functions.contains("public.hidden") };
@id("customers-are-read-only") forbid (
  principal, action in Steward::Action::"writes", resource == Steward::Table::"shop/customers")
  unless { principal in Steward::Role::"admin" };`;

const orgId = crypto.randomUUID();
const as = (role: string) =>
  createClient({ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId, role });

async function run(sql: string, role = "agent", intent = "") {
  const { plans } = as(role);
  const steps = [{ id: "a", query_template: sql, intent }];
  const { plan_id } = await plans.submit({ name: "p", steps });
  const { step_result } = await plans.execute(plan_id, "a");
  return step_result;
}

describe("a policy that forbids a table", () => {
  it.each([
    ["by a view", "SELECT * FROM pay"],
    ["by a view of a view", "SELECT top FROM top_pay"],
    ["by a materialized view", "SELECT id FROM kept_pay"],
    ["by TABLE", "TABLE pay"],
    ["by a rule", "INSERT INTO memos VALUES ('x')"],
    ["by a trigger whose function names it", "INSERT INTO notes VALUES ('x')"],
    ["by functions that a view calls", "SELECT top FROM by_function"],
    ["by a query with a name", "WITH s AS (SELECT * FROM salaries) SELECT * FROM s"],
    ["in a subquery", "SELECT id FROM orders WHERE id IN (SELECT id FROM pay)"],
    ["by INSERT … SELECT", "INSERT INTO guesses (id) SELECT sum FROM pay"],
    ["by UPDATE … FROM", "UPDATE orders SET note = sum FROM pay WHERE pay.id = orders.id"],
    ["by DELETE … USING", "DELETE FROM orders USING pay WHERE pay.id = orders.id"],
    [
      "by MERGE",
      "MERGE INTO orders o USING pay ON pay.id = o.id WHEN MATCHED THEN UPDATE SET note = ''",
    ],
    ["by a foreign key", "INSERT INTO teams VALUES (1, 1)"],
    ["by a cascade", "DELETE FROM heads"],
    ["by RETURNING", "DELETE FROM orders RETURNING (SELECT max(sum) FROM pay)"],
    ["by counting", "SELECT count(*) FROM pay"],
    ["by joining with USING", "SELECT count(*) FROM guesses JOIN pay USING (id)"],
    ["by EXPLAIN", "EXPLAIN SELECT * FROM pay"],
    ["by a change through a view", "UPDATE pay SET sum = 1"],
  ])("is not got round %s", async (_way, sql) => {
    await expect(run(sql)).rejects.toMatchObject({
      ...{ code: "POLICY_DENIED", status: 403 },
      message: expect.stringMatching(/denied here: .*table (public\.)?salaries/) as string,
    });
  });

  it.each([
    ["the table that it is a part of", "SELECT * FROM events", "events_secret"],
    ["its own part", "SELECT * FROM logs_now", "logs"],
  ])("is not got round by %s", async (_way, sql, table) => {
    await expect(run(sql)).rejects.toThrow(`table public.${table}`);
  });

  it("lets what only touches other tables pass, and those whom it does not name", async () => {
    const sql = "SELECT name, note FROM names JOIN orders ON customer_id = names.id";
    expect((await run(sql)).status).toBe("completed");
    expect((await run(sql)).status).toBe("completed");
    expect((await run("SELECT * FROM events_now")).status).toBe("completed");
    expect((await run("SELECT * FROM pay", "admin")).status).toBe("completed");
  });

  it("counts for a view that its owner makes to read it later", async () => {
    await owner.query("CREATE VIEW harmless AS SELECT id FROM orders");
    expect((await run("SELECT id FROM harmless")).status).toBe("completed");
    await owner.query("CREATE OR REPLACE VIEW harmless AS SELECT id FROM salaries");
    await expect(run("SELECT id FROM harmless")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await owner.query("CREATE OR REPLACE VIEW harmless AS SELECT id FROM orders");
    expect((await run("SELECT id FROM harmless")).status).toBe("completed");
  });

  it("counts for a trigger that its owner adds later", async () => {
    const sql = "INSERT INTO bonuses (id) VALUES (NULL)";
    expect((await run(sql)).status).toBe("completed");
    await owner.query(
      "CREATE TRIGGER noted AFTER INSERT ON bonuses FOR EACH ROW EXECUTE FUNCTION noted()",
    );
    await expect(run(sql)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });

  it("may forbid functions whose source does not say what they read", async () => {
    await expect(run("SELECT top FROM by_hidden")).rejects.toThrow("no-hidden-functions");
  });
});

describe("a policy that forbids a column", () => {
  it.each([
    ["by SELECT *", "SELECT * FROM customers"],
    ["by table.*", "SELECT c.* FROM orders o JOIN customers c ON c.id = o.customer_id"],
    ["by TABLE", "TABLE customers"],
    ["by a whole row", "SELECT c FROM customers c"],
    ["by a whole row as text", "SELECT c::text FROM customers c"],
    ["by a whole row as JSON", "SELECT to_jsonb(c) FROM customers c"],
    ["by a row's field", "SELECT (c).email FROM customers c"],
    ["by other names for columns", "SELECT z FROM customers AS c (x, y, z)"],
    ["by a query with a name", "WITH c AS (SELECT * FROM customers) SELECT name FROM c"],
    ["by a view that calls it something else", "SELECT contact FROM contacts"],
    ["by a materialized view of whole rows", "SELECT (whole).name FROM kept_customers"],
    ["in WHERE", "SELECT id FROM customers WHERE email LIKE 'a%'"],
    ["in ORDER BY", "SELECT id FROM customers ORDER BY email"],
    ["in GROUP BY", "SELECT count(*) FROM customers GROUP BY email"],
    ["in a window", "SELECT id, rank() OVER (ORDER BY email) FROM customers"],
    ["in a lateral join", "SELECT o.id FROM orders o, LATERAL (SELECT email FROM customers) c"],
    ["by NATURAL JOIN", "SELECT count(*) FROM customers NATURAL JOIN guesses"],
    ["by USING", "SELECT count(*) FROM customers JOIN guesses USING (email)"],
    ["by a virtual generated column", "SELECT mail FROM customers"],
    ["by a stored generated column", "SELECT stored_mail FROM customers"],
    ["by INSERT … SELECT", "INSERT INTO guesses (email) SELECT email FROM customers"],
    [
      "by UPDATE … FROM",
      "UPDATE orders SET note = email FROM customers c WHERE c.id = customer_id",
    ],
    ["by RETURNING", "DELETE FROM orders RETURNING (SELECT email FROM customers)"],
    ["by a function's notation", "SELECT name(customers) FROM customers, LATERAL (SELECT email) e"],
    ["by DISTINCT ON", "SELECT DISTINCT ON (email) id FROM customers"],
    [
      "by a row that is compared",
      "SELECT id FROM customers c WHERE c > ROW(1, 'a', 'b', 'c', 'd')",
    ],
    [
      "by ON CONFLICT",
      "INSERT INTO guesses SELECT max(email), 1 FROM customers ON CONFLICT DO NOTHING",
    ],
    ["by a grouping set", "SELECT count(*) FROM customers GROUP BY ROLLUP (email)"],
    ["by a row count", "SELECT id FROM customers LIMIT (SELECT count(email) FROM customers)"],
    ["by EXPLAIN ANALYZE", "EXPLAIN ANALYZE SELECT contact FROM contacts"],
    ["by UNION", "SELECT note FROM orders UNION SELECT email FROM customers"],
    ["with a value", "SELECT id FROM customers WHERE email = {{step.b.output[0].x}}"],
  ])("is not got round %s, and is named", async (_way, sql) => {
    const { plans } = as("agent");
    const refused = (async (): Promise<void> => {
      const { plan_id } = await plans.submit({
        name: "p",
        steps: [
          { id: "b", query_template: "SELECT 'ada@example.com' AS x" },
          { id: "a", query_template: sql, depends_on: ["b"] },
        ],
      });
      await plans.execute(plan_id, "b");
      await plans.execute(plan_id, "a");
    })();
    await expect(refused).rejects.toMatchObject({
      ...{ code: "POLICY_DENIED", status: 403 },
      message: expect.stringContaining(
        "Addresses are private: denied here: column public.customers.email",
      ) as string,
    });
  });

  it("leaves the table's other columns, and the refusal names them", async () => {
    expect((await run("SELECT id, name FROM customers")).status).toBe("completed");
    expect((await run("SELECT count(*) FROM customers")).status).toBe("completed");
    expect((await run("SELECT * FROM names")).status).toBe("completed");
    await expect(run("SELECT email FROM customers")).rejects.toMatchObject({
      details: expect.arrayContaining([
        { field: "policy no-emails", reason: "Addresses are private" },
        expect.objectContaining({
          reason: expect.stringContaining(
            "column public.customers.id, column public.customers.name",
          ) as string,
        }),
      ]) as object[],
    });
  });

  it.each([
    "CREATE TABLE stolen AS SELECT contact FROM contacts",
    "ALTER TABLE customers RENAME TO clients",
    "ALTER TABLE customers RENAME COLUMN email TO e",
    "TRUNCATE customers, orders",
  ])("holds for changes of the schema: %s", async (sql) => {
    const { policies } = as("admin");
    const { version } = await policies.getPolicies();
    const strict = POLICIES.replaceAll('principal in Steward::Role::"agent"', "principal");
    await policies.putPolicies({ text: strict, version });
    try {
      await expect(run(sql, "admin", "admin")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    } finally {
      await policies.putPolicies({ text: POLICIES, version: version + 1 });
    }
  });
});

describe("a table whose rows may not be deleted", () => {
  it.each([
    "DELETE FROM salaries",
    "TRUNCATE salaries CASCADE",
    "TRUNCATE heads CASCADE",
    "TRUNCATE referred CASCADE",
    "DROP TABLE salaries CASCADE",
    "DROP TABLE guesses, salaries CASCADE",
    "/* a /* b */ */ DROP TABLE IF EXISTS public.salaries CASCADE",
  ])("keeps them: %s", async (sql) => {
    const { policies } = as("admin");
    const { version } = await policies.getPolicies();
    const text = ["salaries", "referring"]
      .map(
        (table) => `@id("keep-${table}") forbid (principal,
          action == Steward::Action::"write_delete", resource == Steward::Table::"shop/${table}");`,
      )
      .join("\n");
    await policies.putPolicies({ text, version });
    try {
      await expect(run(sql, "admin")).rejects.toThrow(
        /denied here: .*table public\.(salaries|referring)/,
      );
      const other = await run("ALTER TABLE salaries ALTER COLUMN sum DROP NOT NULL", "admin");
      expect(other.status).toBe("completed");
    } finally {
      await policies.putPolicies({ text: POLICIES, version: version + 1 });
    }
  });
});

describe("a table that a change of the schema reaches by another name", () => {
  it.each([
    ["its schema", "DROP SCHEMA vault CASCADE"],
    ["its schema in other letters", 'DROP SCHEMA U&"\\0076ault" CASCADE'],
    ["its schema's new name", "ALTER SCHEMA vault RENAME TO cellar"],
    ["all tables of its schema", "GRANT SELECT ON ALL TABLES IN SCHEMA vault TO PUBLIC"],
    ["a column's type", "DROP TYPE vault.mood CASCADE"],
    ["the values of a column's type", "ALTER TYPE vault.mood RENAME VALUE 'bad' TO 'sad'"],
    ["the schema of a column's type", "ALTER TYPE vault.mood SET SCHEMA public"],
    ["a function of a check", "DROP FUNCTION vault.is_fine(int) CASCADE"],
    ["its index", "DROP INDEX vault.by_weight"],
    ["its row-level policy", "DROP POLICY own ON vault.gold"],
    ["a table that it is a part of", "DROP TABLE events"],
    [
      "a function that reads it for a type",
      "ALTER TABLE notes ALTER text TYPE text USING vault.top()",
    ],
    [
      "a function that reads it for a default",
      "ALTER TABLE notes ADD more text DEFAULT vault.top()",
    ],
  ])("is asked about: %s", async (_way, sql) => {
    const { policies } = as("admin");
    const { version } = await policies.getPolicies();
    const text = `
      @id("gold") forbid (principal, action in Steward::Action::"statements",
        resource == Steward::Table::"shop/vault.gold");
      @id("moods") forbid (principal, action == Steward::Action::"admin",
        resource == Steward::Table::"shop/public.moods");
      @id("parts") forbid (principal, action == Steward::Action::"write_delete",
        resource == Steward::Table::"shop/public.events_secret");`;
    await policies.putPolicies({ text, version });
    try {
      await expect(run(sql, "admin")).rejects.toThrow(
        /denied here: .*table (vault\.gold|public\.(moods|events_secret))/,
      );
      const other = await run("ALTER TYPE calm ADD VALUE IF NOT EXISTS 'less'", "admin");
      expect(other.status).toBe("completed");
    } finally {
      await policies.putPolicies({ text: POLICIES, version: version + 1 });
    }
  });
});

describe("a table that is forbidden to be changed", () => {
  it("can be read, be it by a write or for a foreign key", async () => {
    const copied = "INSERT INTO guesses (id) SELECT id FROM customers";
    expect((await run(copied)).status).toBe("completed");
    expect((await run("INSERT INTO orders (customer_id) VALUES (1)")).status).toBe("completed");
  });

  it.each([
    "INSERT INTO customers (id, name) VALUES (2, 'x')",
    "UPDATE names SET name = 'x'",
    "DELETE FROM names",
  ])("is not changed: %s", async (sql) => {
    await expect(run(sql)).rejects.toThrow("denied here: table public.customers");
  });
});
