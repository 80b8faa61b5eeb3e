/**
 * A role with few rights fails statements in every way that is answered with names; none of the answers
 * may hold a part of a name that the role may not read.
 */
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Intent } from "../../governance/index.js";
import type { StatementError } from "../../plans/ports.js";
import { failureOf, runStatement } from "../testing/run-statement.js";
import { PostgresTarget } from "./postgres-target.js";
import { shopOptions } from "./testing/shop.js";

/** Every name that the role may not read holds `hidden`. */
const SCHEMA = `
  CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL, hidden_email text);
  CREATE TABLE hidden_customers (id integer PRIMARY KEY, customer_id integer REFERENCES customer (id));
  CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer REFERENCES customer (id),
    hidden_id integer REFERENCES hidden_customers (id));
  CREATE TABLE private_notes (owner text, body text);
  CREATE SCHEMA hidden_schema;
  CREATE TABLE hidden_schema.orders_archive (id integer);
  CREATE SCHEMA shared;
  CREATE TABLE shared.invoice (id integer);
  CREATE TABLE shared.hidden_invoices (id integer);
  CREATE VIEW customer_list WITH (security_invoker) AS SELECT id FROM hidden_customers;
  INSERT INTO customer VALUES (1, 'Ada', 'ada@example.com');
  INSERT INTO hidden_customers VALUES (1, 1);
  INSERT INTO private_notes VALUES ('nobody', 'x');
  ALTER TABLE private_notes ENABLE ROW LEVEL SECURITY;`;

let database: TestDatabase;
let target: PostgresTarget;
let role: string;

beforeAll(async () => {
  database = await freshDatabase();
  role = `${database.name}_agent`;
  await database.query(`${SCHEMA}
    CREATE ROLE ${role} LOGIN PASSWORD 'few';
    GRANT CREATE ON DATABASE ${database.name} TO ${role}; GRANT CREATE ON SCHEMA public TO ${role};
    GRANT SELECT (id, name), DELETE, UPDATE (name) ON customer TO ${role};
    GRANT SELECT (id, customer_id), INSERT ON orders TO ${role};
    GRANT SELECT ON private_notes, customer_list TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA hidden_schema TO ${role};
    GRANT USAGE ON SCHEMA shared TO ${role}; GRANT SELECT ON shared.invoice TO ${role}`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, "few"];
  target = new PostgresTarget(await shopOptions({ url: url.href }));
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await database.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  await database[Symbol.asyncDispose]();
});

const failure = (sql: string, intent: Intent = "read_select"): Promise<StatementError> =>
  failureOf(runStatement(target, sql, { intent }));

describe("the answer to a role that may read little", () => {
  it("lists the tables that it may read, and those only", async () => {
    const { hints } = await failure("SELECT * FROM hiden_customers");
    expect(hints).toEqual([
      'relation "hiden_customers" does not exist; did you mean customer? Tables: customer, customer_list, orders, private_notes, shared.invoice',
    ]);
    const { hints: near } = await failure("SELECT * FROM shared.invoices");
    expect(near[0]).toContain("did you mean shared.invoice?");
  });

  it("lists the columns that it may read, and names a table whose rows it sees only in part", async () => {
    expect((await failure("SELECT nme FROM customer")).hints).toEqual([
      'column "nme" does not exist; did you mean name? Columns of customer: id, name',
    ]);
    expect((await failure("SELECT ownr FROM private_notes")).hints[0]).toContain("mean owner?");
  });

  it.each<[sql: string, intent?: Intent]>([
    ["SELECT hiden_email FROM customer"],
    ["SELECT c.hiddn_email FROM customer c"],
    ["SELECT hiden_id, id FROM orders"],
    ["SELECT custmer_id FROM orders WHERE id = 1"],
    ["SELECT x FROM orders_archive"],
    ["SELECT nme FROM customer JOIN orders USING (id)"],
    ["SELECT id FROM customer, orders"],
    ["SELECT * FROM customer_list"],
    ["DELETE FROM customer WHERE id = 1", "write_delete"],
    ["INSERT INTO orders (id, customer_id) VALUES (1, 7)", "write_insert"],
  ])("holds no name that the role may not read: %s", async (sql, intent) => {
    const { message, hints } = await failure(sql, intent);
    const ownWords = sql.split(/\W+/);
    for (const word of [message, ...hints].join(" ").split(/\W+/)) {
      if (!ownWords.includes(word)) expect(word).not.toContain("hidden");
    }
  });

  it("says that a row is referred to, without saying from where", async () => {
    expect((await failure("DELETE FROM customer WHERE id = 1", "write_delete")).message).toBe(
      "the statement violates a foreign key of a table that this role may not read",
    );
  });
});
