import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTwoSources, type TwoSources } from "./testing/two-sources.js";

/**
 * An agent may write all columns, and read all but those called `secret`. Whether an UPDATE succeeds tells of the
 * columns of its constraints, by which a number could be found with a few statements.
 */
const SCHEMA = `
CREATE TABLE checked (id integer PRIMARY KEY, a integer, b integer, secret integer, CHECK (a < secret));
CREATE TABLE pairs (a integer, secret integer, UNIQUE (a, secret));
CREATE TABLE uniq (id integer PRIMARY KEY, a integer, secret integer, UNIQUE (a, secret));
CREATE TABLE partial (id integer PRIMARY KEY, a integer, secret integer);
CREATE UNIQUE INDEX some_of_a ON partial (a) WHERE secret > 5;
CREATE TABLE keyed (id integer PRIMARY KEY, a integer, secret integer,
  FOREIGN KEY (a, secret) REFERENCES pairs (a, secret));
CREATE TABLE computed (id integer PRIMARY KEY, a integer, b integer, secret integer,
  quotient integer GENERATED ALWAYS AS (a / secret) STORED);
CREATE TABLE limited (id integer PRIMARY KEY, a integer, b integer, secret integer,
  product integer GENERATED ALWAYS AS (a * secret) STORED CHECK (product < 100));
CREATE TABLE indexed (id integer PRIMARY KEY, a integer, b integer, secret integer);
CREATE INDEX indexed_together ON indexed (a, secret);
CREATE TABLE quotients (id integer PRIMARY KEY, a integer, b integer, secret integer);
CREATE INDEX quotients_of ON quotients ((1 / (a - secret)));
CREATE TABLE conditions (id integer PRIMARY KEY, a integer, b integer, secret integer);
CREATE INDEX conditions_of ON conditions (id) WHERE 1 / (a - secret) < 7;
CREATE TABLE defaults (id integer PRIMARY KEY, a integer, secret integer DEFAULT 9);
CREATE UNIQUE INDEX defaults_of ON defaults (a) WHERE secret > 5;
CREATE TABLE hashes (id integer PRIMARY KEY, a integer, secret integer DEFAULT 9);
CREATE UNIQUE INDEX hashes_of ON hashes ((a + secret));
INSERT INTO indexed VALUES (1, 1, 1, 5);
INSERT INTO quotients VALUES (1, 1, 1, 5);
INSERT INTO conditions VALUES (1, 1, 1, 5);
INSERT INTO checked VALUES (1, 1, 1, 50), (2, 2, 2, 60);
INSERT INTO uniq VALUES (1, 1, 1);
INSERT INTO partial VALUES (1, 1, 1);
INSERT INTO computed (id, a, b, secret) VALUES (1, 1, 1, 1);
INSERT INTO limited (id, a, b, secret) VALUES (1, 1, 1, 1);`;

const POSTGRES_SCHEMA = `
CREATE TABLE excluded (id integer PRIMARY KEY, a integer, secret integer,
  EXCLUDE USING btree (a WITH =, secret WITH =));
CREATE TABLE covered (id integer PRIMARY KEY, a integer, secret integer);
CREATE INDEX covered_by ON covered (a) INCLUDE (secret);
CREATE TABLE watched (id integer PRIMARY KEY, a integer, b integer, secret integer, other integer);
CREATE FUNCTION rising() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW.a > OLD.secret THEN RAISE EXCEPTION 'too high'; END IF; RETURN NEW; END $$;
CREATE TRIGGER rising BEFORE UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION rising();
CREATE TABLE conditional (id integer PRIMARY KEY, a integer, secret integer);
CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE TRIGGER refused BEFORE DELETE ON conditional FOR EACH ROW WHEN (OLD.secret > 5) EXECUTE FUNCTION refused();
CREATE TABLE raised (id integer PRIMARY KEY, a integer, secret integer);
CREATE FUNCTION lifted() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW.secret < 0 THEN RAISE EXCEPTION 'negative'; END IF; RETURN NEW; END $$;
CREATE TRIGGER lifted BEFORE INSERT ON raised FOR EACH ROW EXECUTE FUNCTION lifted();`;

const TABLES = [
  ...["checked", "uniq", "partial", "keyed", "computed", "limited"],
  ...["indexed", "quotients", "conditions", "defaults", "hashes", "covered"],
  ...["excluded", "watched", "conditional", "raised"],
];
const POLICIES = ["sqlite", "postgres"]
  .flatMap((source) =>
    TABLES.map(
      (
        table,
      ) => `@id("${source}-${table}") forbid (principal in Steward::Role::"agent", action == Steward::Action::"read_select",
        resource == Steward::Column::"${source}/${table}/secret");`,
    ),
  )
  .join("\n");

let steward: TwoSources;
beforeAll(async () => {
  steward = await openTwoSources({ both: SCHEMA, postgres: POSTGRES_SCHEMA });
  await as("admin").policies.putPolicies({ text: POLICIES, version: 0 });
});
afterAll(() => steward[Symbol.asyncDispose]());

const orgId = crypto.randomUUID();
const as = (role: string) => createClient({ baseUrl: steward.baseUrl, orgId, role });

async function run(data_source: string, query_template: string) {
  const { plans } = as("agent");
  const { plan_id } = await plans.submit({ steps: [{ id: "a", data_source, query_template }] });
  return (await plans.execute(plan_id, "a")).step_result;
}

const expectRefused = (source: string, sql: string) =>
  expect(run(source, sql)).rejects.toMatchObject({
    code: "POLICY_DENIED",
    message: expect.stringMatching(/denied here: column .*\.secret$/) as string,
  });

describe.each(["sqlite", "postgres"])("an UPDATE on %s", (source) => {
  it.each([
    ["a check", "UPDATE checked SET a = 30 WHERE id = 1"],
    ["a unique constraint", "UPDATE uniq SET a = 2 WHERE id = 1"],
    ["the condition of a unique index", "UPDATE partial SET a = 2 WHERE id = 1"],
    ["a foreign key", "UPDATE keyed SET a = 2 WHERE id = 1"],
    ["a generated column", "UPDATE computed SET a = 2 WHERE id = 1"],
    ["a check of a generated column", "UPDATE limited SET a = 2 WHERE id = 1"],
    ["an index", "UPDATE indexed SET a = 2 WHERE id = 1"],
    ["an expression of an index", "UPDATE quotients SET a = 2 WHERE id = 1"],
    ["the condition of an index", "UPDATE conditions SET a = 2 WHERE id = 1"],
    [
      "a check, by an upsert",
      "INSERT INTO checked VALUES (1, 1, 1, 2) ON CONFLICT (id) DO UPDATE SET a = 30",
    ],
  ])("reads the other columns of %s of which it sets one", async (_what, sql) => {
    await expectRefused(source, sql);
  });

  it.each([
    "UPDATE checked SET b = 3 WHERE id = 1",
    "UPDATE checked SET a = 3, secret = 4 WHERE id = 1",
    "UPDATE computed SET b = 3 WHERE id = 1",
    "UPDATE limited SET b = 3 WHERE id = 1",
    "UPDATE uniq SET a = 4, secret = 4 WHERE id = 1",
    "UPDATE indexed SET b = 3 WHERE id = 1",
    "UPDATE quotients SET a = 3, secret = 4 WHERE id = 1",
    "UPDATE conditions SET b = 3 WHERE id = 1",
    "INSERT INTO indexed (id, a) VALUES (9, 9)",
    "INSERT INTO defaults (id, a, secret) VALUES (9, 9, 9)",
    "INSERT INTO uniq (id, a) VALUES (10, 9)",
    "INSERT INTO checked VALUES (9, 1, 1, 2)",
    "INSERT INTO checked (id, a) VALUES (10, 1)",
    "INSERT INTO uniq VALUES (9, 9, 9)",
    "INSERT INTO computed (id, a, secret) VALUES (9, 9, 9)",
    "INSERT INTO checked VALUES (1, 1, 1, 2) ON CONFLICT (id) DO UPDATE SET b = 4",
    "DELETE FROM checked WHERE id = 2",
  ])("does not read what it sets itself, and other writes do not either: %s", async (sql) => {
    expect(await run(source, sql)).toMatchObject({ status: "completed" });
  });
});

describe.each(["sqlite", "postgres"])("an INSERT on %s", (source) => {
  it.each([
    ["the condition of a unique index", "INSERT INTO defaults (id, a) VALUES (1, 1)"],
    ["an expression of a unique index", "INSERT INTO hashes (id, a) VALUES (1, 1)"],
  ])("reads the columns of %s that it leaves to their defaults", async (_what, sql) => {
    await expectRefused(source, sql);
  });
});

describe("a write on postgres", () => {
  it.each([
    ["a column that an index only includes", "UPDATE covered SET a = 2 WHERE id = 1"],
    ["an exclusion", "UPDATE excluded SET a = 2 WHERE id = 1"],
    ["the old row in a trigger", "UPDATE watched SET b = 2 WHERE id = 1"],
    ["the old row in a trigger, also when it is set", "UPDATE watched SET secret = 2 WHERE id = 1"],
    ["the condition of a trigger", "DELETE FROM conditional WHERE id = 1"],
    [
      "a check, where another UPDATE of the statement sets the column of another row",
      "WITH own AS (UPDATE checked SET secret = 90 WHERE id = 1) UPDATE checked SET a = 30 WHERE id = 2",
    ],
  ])("reads %s", async (_what, sql) => {
    await expectRefused("postgres", sql);
  });

  it.each([
    "INSERT INTO watched VALUES (1, 1, 1, 1, 1)",
    "UPDATE conditional SET a = 2 WHERE id = 1",
    "INSERT INTO raised VALUES (1, 1, 1)",
    "INSERT INTO excluded VALUES (1, 1, 1)",
  ])("does not read the values of its own new row: %s", async (sql) => {
    expect(await run("postgres", sql)).toMatchObject({ status: "completed" });
  });
});
