import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Intent } from "../../governance/index.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { StatementError, StatementRequest, StatementResult } from "../../plans/ports.js";
import { READS, SCHEMA } from "../sql-analyzer/testing/postgres-examples.js";
import { failureOf, nextStep, statementRequest } from "../testing/run-statement.js";
import { PostgresTarget } from "./postgres-target.js";
import { shopOptions } from "./testing/shop.js";

/** Functions that the owner of the database has made, by the kinds of argument they take. */
const OWN_FUNCTIONS = `
CREATE FUNCTION score(customers) RETURNS int LANGUAGE sql AS 'SELECT 7';
CREATE FUNCTION total(customers) RETURNS int LANGUAGE sql AS 'SELECT 8';
CREATE FUNCTION whole(anyelement) RETURNS int LANGUAGE sql AS 'SELECT 9';
CREATE FUNCTION many(VARIADIC customers[]) RETURNS int LANGUAGE sql AS 'SELECT 10';
CREATE FUNCTION twice(float8, int DEFAULT 2) RETURNS float8 LANGUAGE sql AS 'SELECT $1 * $2';
CREATE FUNCTION status(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION http_status(text) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION slice(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION initcap(customers) RETURNS text LANGUAGE sql AS 'SELECT $1.name';
CREATE FUNCTION near(int, int) RETURNS bool LANGUAGE sql AS 'SELECT abs($1 - $2) < 2';
CREATE FUNCTION big(int) RETURNS bool LANGUAGE sql AS 'SELECT $1 > 9';
CREATE OPERATOR ~=~ (FUNCTION = near, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR @! (FUNCTION = big, RIGHTARG = int);
CREATE OPERATOR @@! (FUNCTION = pg_read_file, RIGHTARG = text);
CREATE VIEW scores AS SELECT id, score(customers) AS score, initcap(customers), id ~=~ 2 AS near FROM customers;
`;

let database: TestDatabase;
let target: PostgresTarget;
let isNewest: boolean;

beforeAll(async () => {
  database = await freshDatabase();
  await database.query(SCHEMA + OWN_FUNCTIONS);
  const [version] = await database.query("SELECT current_setting('server_version_num')::int AS n");
  isNewest = Number(version?.["n"]) >= 180_000;
  target = new PostgresTarget(await shopOptions({ url: database.url }));
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe("a function of the database's owner", () => {
  it.each([
    "SELECT c.score FROM customers c",
    "SELECT customers.score FROM customers",
    "SELECT public.customers.score FROM public.customers",
    "SELECT (c).score FROM customers c",
    "SELECT (c.*).score FROM customers c",
    "SELECT (SELECT x.score) FROM customers x",
    "SELECT s.score FROM (SELECT * FROM customers) s",
    "WITH s AS (TABLE customers) SELECT s.score FROM s",
    "WITH customers AS (SELECT * FROM public.customers) SELECT customers.score FROM customers",
    "SELECT c.whole, c.many FROM customers c",
    "SELECT j.whole FROM (customers CROSS JOIN events) j",
    "SELECT u.whole FROM customers JOIN orders USING (id) AS u",
    "SELECT 1 FROM customers c ORDER BY c.score",
    "SELECT (array_agg(c))[1].score FROM customers c",
    "SELECT x.twice FROM CAST(1 AS float8) x",
    "SELECT float8.twice FROM CAST(1 AS float8)",
    "SELECT (SELECT float8.twice FROM CAST(1 AS float8)) FROM (SELECT 1) AS float8",
    "SELECT sqrt.twice FROM sqrt(4::float8)",
    "SELECT x.twice FROM sqrt(4::float8) AS x (y)",
    "SELECT (total::float8).twice FROM orders",
    "SELECT (total::float8).twice.abs FROM orders",
    "SELECT ($1::float8).twice",
    "SELECT initcap(c) FROM customers c",
    "SELECT slice(name) FROM customers",
    "SELECT initcap(name) FROM customers",
    "SELECT c.initcap FROM customers c",
    "SELECT o.score FROM orders o",
    `SELECT t.id FROM orders t WHERE ${Array(99).fill("EXISTS (SELECT t.score FROM customers t)").join(" OR ")}`,
  ])("is not called by a read without a word: %s", async (sql) => {
    const { reason, message, hints } = await failureOf(run(sql, "read_select"));
    expect([reason, message]).toEqual(["intent", expect.stringContaining("the function ")]);
    expect(hints[0]).toMatch(/^\w+ is (a|also a) function of this data source/);
    // Otherwise a person would be asked to approve what is refused afterwards.
    expect((await failureOf(described(sql))).message).toBe(message);
  });

  it.each([
    "SELECT id FROM customers WHERE id ~=~ 2",
    "SELECT @! id FROM customers",
    "SELECT @@! '/etc/hostname'::text",
    "SELECT 1 ~=~ ANY (ARRAY[2, 3]), 1 ~=~ ALL (SELECT 2)",
    "SELECT id FROM customers ORDER BY id USING ~=~",
    "SELECT id FROM customers GROUP BY id HAVING NOT id OPERATOR(~=~) 2",
  ])("is not called by a read through an operator: %s", async (sql) => {
    const { reason, message, hints } = await failureOf(run(sql, "read_select"));
    expect([reason, message]).toEqual([
      "intent",
      expect.stringContaining("the function of the operator "),
    ]);
    expect(hints[0]).toMatch(/^\S+ is an operator of this data source/);
  });

  const newer = "UPDATE customers SET name = name RETURNING";
  it.each([`${newer} old.score, new.score`, `${newer} WITH (OLD AS o) o.score`])(
    "is not called by a write, of a grammar that only a newer server knows: %s",
    async (sql) => {
      const { reason } = await failureOf(run(sql, "write_update"));
      expect(reason).toBe("intent");
    },
  );

  it.each([
    [
      "INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.score::text",
      "write_update",
    ],
    ["DELETE FROM customers c WHERE c.score = 7", "write_delete"],
    ["INSERT INTO events (line) SELECT c.score::text FROM customers c", "write_insert"],
    [
      "MERGE INTO orders o USING customers c ON c.id = o.customer_id WHEN MATCHED AND c.score > 1 THEN DELETE",
      "cross_system_transaction",
    ],
  ] as const)("is not called by a write: %s", async (sql, intent) => {
    expect((await failureOf(run(sql, intent))).reason).toBe("intent");
    expect((await run("SELECT count(*) AS n FROM customers")).outputJson).toBe('[{"n":2}]');
  });

  it("is called under admin, and through a view", async () => {
    const admin = await run(
      "SELECT c.score, initcap(c), id ~=~ 2 AS near FROM customers c WHERE id = 1",
      "admin",
    );
    expect(admin.outputJson).toBe('[{"score":7,"initcap":"Ada","near":true}]');
    const view = await run("SELECT s.score, s.initcap, s.near FROM scores s WHERE s.id = 1");
    expect(view.outputJson).toBe('[{"score":7,"initcap":"Ada","near":true}]');
  });

  it.each([
    "SELECT o.total, o.status, o.http_status, orders.total FROM orders o, orders",
    Array(99).fill("SELECT t.http_status, t.status FROM orders t").join(" UNION "),
    "SELECT s.status, s.http_status FROM (TABLE orders) s",
    "SELECT r.total, r.score FROM jsonb_to_recordset('[]') AS r (total int, score int)",
    "SELECT u.twice FROM unnest(ARRAY[1.5]) AS u (twice)",
    "SELECT pg_catalog.initcap(c.name) FROM customers c",
    "SELECT s.tableoid FROM customers s",
  ])("does not stand in the way of columns and PostgreSQL's own: %s", async (sql) => {
    expect((await run(sql)).rowCount).toBeGreaterThanOrEqual(0);
  });

  it.each(READS)("does not stand in the way of: %s", async (sql) => {
    const refused = await run(sql).then(
      () => undefined,
      (error: unknown) => (error as StatementError).reason,
    );
    // An older server does not know all of the grammar.
    expect(isNewest ? [undefined] : [undefined, "statement"]).toContain(refused);
  });
});

describe("a function that only the role of one organization finds", () => {
  it("is not called for that organization because another one has asked before", async () => {
    const [finder, plain] = ["finder", "plain"].map((name) => `${name}_${String(process.pid)}`);
    await database.query(`
      CREATE SCHEMA hidden; CREATE ROLE ${finder}; CREATE ROLE ${plain};
      CREATE FUNCTION hidden.lower(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
      GRANT USAGE ON SCHEMA hidden TO ${finder}; GRANT SELECT ON customers TO ${finder}, ${plain};
      ALTER DATABASE ${database.name} SET search_path = hidden, pg_catalog, public`);
    const roleOf = (orgId: string) => (orgId === "finds" ? finder : plain);
    const own = new PostgresTarget(await shopOptions({ url: database.url, roleOf }));
    try {
      const sql = "SELECT lower(name::varchar) AS n FROM customers";
      const ask = (orgId: string) => own.run(requestOf(sql, orgId), new AbortController().signal);
      expect((await ask("plain")).outputJson).toContain('"n":');
      expect((await failureOf(ask("finds"))).reason).toBe("intent");
    } finally {
      await own[Symbol.asyncDispose]();
      await database.query(`ALTER DATABASE ${database.name} RESET search_path;
        DROP SCHEMA hidden CASCADE; DROP OWNED BY ${finder}, ${plain}; DROP ROLE ${finder}, ${plain}`);
    }
  });
});

describe("a function of PostgreSQL's own", () => {
  it.each([
    "SELECT (1).int4inc",
    "SELECT x.plpgsql_validator FROM CAST(1 AS oid) x",
    "SELECT (1::oid).fmgr_sql_validator",
    "SELECT (c).record_out FROM customers c",
  ])("that is not known to be harmless is no column either: %s", async (sql) => {
    expect((await failureOf(run(sql))).reason).toBe("intent");
  });

  it("is one of an extension too", async () => {
    await database.query(
      "CREATE EXTENSION unaccent; CREATE EXTENSION citext; CREATE EXTENSION pg_trgm",
    );
    const sql =
      "SELECT unaccent('é') AS e, max(name::citext) AS m, replace('a'::citext, 'A', 'b') AS r, bool_or('ad' <% name) AS w";
    expect((await run(`${sql} FROM customers`)).outputJson).toBe(
      '[{"e":"e","m":"Bo","r":"b","w":true}]',
    );
  });

  it.each([
    ["pgcrypto", "encode(digest('a', 'md5'), 'hex')", "0cc175b9c0f1b6a831c399e269772661"],
    ["hstore", "array_to_string(akeys(hstore('a', 'b')), ',')", "a"],
    ["ltree", "subpath('a.b.c', 1, 2)", "b.c"],
    ["intarray", "sort_desc(uniq(sort(ARRAY[2, 1, 2])))::text", "{2,1}"],
    ["uuid-ossp", "uuid_nil()::text", "00000000-0000-0000-0000-000000000000"],
    ["earthdistance", "round(earth_distance(ll_to_earth(0, 0), ll_to_earth(0, 0)))::text", "0"],
    ["tsm_system_rows", "(SELECT count(*) FROM orders TABLESAMPLE system_rows (1))::text", "1"],
  ])("is one of %s: %s", async (extension, call, value) => {
    await database.query(`CREATE EXTENSION "${extension}" CASCADE`);
    expect((await run(`SELECT ${call} AS v`)).outputJson).toBe(JSON.stringify([{ v: value }]));
  });
});

function run(sql: string, intent: Intent = "read_select"): Promise<StatementResult> {
  return target.run({ ...requestOf(sql), intent }, new AbortController().signal);
}

function described(sql: string): Promise<unknown> {
  const { binds, ...asked } = requestOf(sql);
  const forDecision = { binds, mayBeKnown: true };
  return target.describe(
    { ...asked, parameterCount: binds.length, forDecision },
    new AbortController().signal,
  );
}

function requestOf(sql: string, orgId = "org"): StatementRequest {
  return statementRequest(sql, {
    binds: sql.includes("$1::float8") ? [1] : [],
    attempt: nextStep(orgId),
    caller: { ...NOBODY, orgId },
  });
}
