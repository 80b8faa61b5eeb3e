import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/**
 * An agent writes to tables of PostgreSQL of which it may not read the columns with `secret` in their name. The server
 * names constraints, and the names of constraints contain columns.
 */
const TABLES = `
  CREATE TABLE customer (id int PRIMARY KEY, name text UNIQUE, secret_mail text NOT NULL DEFAULT 'nobody' UNIQUE,
    secret_iban text DEFAULT 'DE1' CHECK (secret_iban LIKE 'DE%'), secret_age int DEFAULT 30,
    CONSTRAINT "grown up" CHECK (secret_age > 17));
  CREATE TABLE payment (id int PRIMARY KEY, secret_payer int DEFAULT 9 REFERENCES customer, amount int);
  CREATE TABLE sale (id int, day date, secret_code text DEFAULT 'x', UNIQUE (day, secret_code)) PARTITION BY RANGE (day);
  CREATE TABLE sale_2026 PARTITION OF sale FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'secret_code is missing'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT ON sale FOR EACH ROW WHEN (NEW.id = 13) EXECUTE FUNCTION refuse();
  CREATE TABLE loud (id int PRIMARY KEY, a int, secret_pin int);
  CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'row %', OLD; END $$;
  CREATE TRIGGER shout BEFORE UPDATE ON loud FOR EACH ROW EXECUTE FUNCTION shout();
  INSERT INTO loud VALUES (1, 1, 4711);
  INSERT INTO customer (id, name) VALUES (1, 'Ada');
  INSERT INTO payment VALUES (1, 1, 5);
  INSERT INTO sale VALUES (1, '2026-03-01', 'x')`;
const SECRETS = {
  customer: ["secret_mail", "secret_iban", "secret_age"],
  payment: ["secret_payer"],
  sale: ["secret_code"],
  loud: ["secret_pin"],
};

const directory = mkdtempSync(join(tmpdir(), "steward-masked-"));
let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(TABLES);
  await owner.end();
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "crm", url: database.url }],
  });
  const policies = Object.entries(SECRETS).flatMap(([table, columns]) =>
    columns.map(
      (column) => `@id("no-${column}") forbid (principal in Steward::Role::"agent",
        action == Steward::Action::"read_select", resource == Steward::Column::"crm/${table}/${column}");`,
    ),
  );
  await as("admin").policies.putPolicies({ text: policies.join("\n"), version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const as = (role: string) =>
  createClient({
    baseUrl: `http://127.0.0.1:${String(app.address.port)}`,
    headers: { "x-user-role": role },
  });

/** All that a caller can read of a failed statement: the answer, the plan and its events. */
async function failure(role: string, sql: string): Promise<string> {
  const { plans } = as(role);
  const { plan_id: planId } = await plans.submit({ steps: [{ id: "a", query_template: sql }] });
  const answer = await plans.execute(planId, "a");
  expect(answer.step_result.status).toBe("failed");
  const events: unknown[] = [];
  for await (const event of plans.watch(planId)) events.push(event);
  return JSON.stringify([answer, await plans.getPlan({ plan_id: planId }), events]);
}

const UNIQUE = "INSERT INTO customer (id, name) VALUES (2, 'Bo')";

describe("an error of PostgreSQL", () => {
  it.each([
    [UNIQUE, "UNIQUE constraint failed on customer"],
    ["UPDATE customer SET name = 'Ed' WHERE name = 1", "operator does not exist"],
    ["INSERT INTO customer VALUES (3, 'Cy', 'cy', 'FR1')", "CHECK constraint failed on customer"],
    [
      "INSERT INTO customer VALUES (3, 'Cy', 'cy', 'DE3', 3)",
      "CHECK constraint failed on customer",
    ],
    ["INSERT INTO customer VALUES (3, 'Cy', NULL)", "NOT NULL constraint failed on customer"],
    ["INSERT INTO payment (id, amount) VALUES (2, 5)", "FOREIGN KEY constraint failed on payment"],
    ["INSERT INTO sale (id, day) VALUES (2, '2026-03-01')", "UNIQUE constraint failed: "],
    ["INSERT INTO sale (id, day) VALUES (13, '2026-03-02')", "The database refuses the statement"],
    ["INSERT INTO payment VALUES (3, now(), 5)", "The database refuses the statement"],
  ])("names no column that the caller may not read: %s", async (sql, said) => {
    const shown = await failure("agent", sql);
    expect(shown).toContain(said);
    expect(shown).not.toMatch(/secret_|grown up|sale_2026_/);
  });

  it("names constraints of columns that the caller may read, and all constraints to others", async () => {
    const own = "INSERT INTO customer (id, name, secret_mail) VALUES (4, 'Ada', 'ada')";
    expect(await failure("agent", own)).toContain("customer_name_key");
    expect(await failure("admin", UNIQUE)).toContain("customer_secret_mail_key");
    expect(await failure("admin", "INSERT INTO payment VALUES (3, now(), 5)")).toContain(
      'column \\\\\\"secret_payer\\\\\\" is of type integer',
    );
  });

  it("has no value of such a column that a function of the database has put into it", async () => {
    const sql = "UPDATE loud SET a = 2";
    const shown = await failure("agent", sql);
    expect(shown).toContain("The database refuses the statement");
    expect(shown).not.toContain("4711");
    expect(await failure("admin", sql)).toContain("row (1,1,4711)");
  });

  it("names no such column in the check of a plan", async () => {
    const check = (role: string) =>
      as(role).plans.checkPlan({
        steps: [{ id: "a", query_template: "INSERT INTO payment VALUES (3, now(), 5)" }],
      });
    expect(JSON.stringify(await check("admin"))).toContain("secret_payer");
    const shown = JSON.stringify(
      (await check("agent")).steps.map(({ problem, hints }) => [problem, hints]),
    );
    expect(shown).toContain("The database refuses the statement");
    expect(shown).not.toContain("secret");
  });
});
