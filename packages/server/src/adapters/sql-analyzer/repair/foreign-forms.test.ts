/**
 * Each form of another dialect occurs in one statement. The engine must refuse the statement, the
 * answer must name an equivalent, and each equivalent fragment must run on the engine unchanged.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect, SqlAnalyzer } from "../../../governance/index.js";
import { PostgresAnalyzer } from "../postgres-analyzer.js";
import { SqliteAnalyzer } from "../sqlite-analyzer.js";
import type { ForeignForm } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";
import { FOREIGN_MESSAGE } from "../../sql-target-postgres/testing/foreign-messages.js";
import { refusalOf } from "../testing/refusal-of.js";

/** A statement for each form that is not a function; functions are called as `name(value)`. */
const WRONG_ON_SQLITE: Readonly<Record<string, string>> = {
  "double-colon cast": "SELECT a::text FROM probe",
  ILIKE: "SELECT a FROM probe WHERE name ILIKE 'x%'",
  "SIMILAR TO": "SELECT a FROM probe WHERE name SIMILAR TO 'x'",
  "~ between texts": "SELECT a FROM probe WHERE name ~ 'x'",
  REGEXP: "SELECT a FROM probe WHERE name REGEXP 'x'",
  intervals: "SELECT date('now') - interval '1 day'",
  "literals such as date '2026-01-31'": "SELECT a FROM probe WHERE value > date '2026-01-01'",
  "digits after CURRENT_TIMESTAMP": "SELECT CURRENT_TIMESTAMP(3)",
  "AT TIME ZONE": "SELECT value AT TIME ZONE 'UTC' FROM probe",
  "DISTINCT ON": "SELECT DISTINCT ON (a) * FROM probe",
  "FETCH FIRST": "SELECT a FROM probe FETCH FIRST 5 ROWS ONLY",
  TOP: "SELECT TOP 5 a FROM probe",
  "LIMIT ALL": "SELECT a FROM probe LIMIT ALL",
  "row locks": "SELECT a FROM probe FOR UPDATE",
  arrays: "SELECT ARRAY[1, 2]",
  "= ANY": "SELECT a FROM probe WHERE a = ANY('{1}')",
  "texts with escapes": "SELECT E'a\\n'",
  LATERAL: "SELECT a FROM probe, LATERAL (SELECT 1) AS x",
  "SUBSTRING … FROM … FOR": "SELECT substring(name FROM 1 FOR 2) FROM probe",
  "TRIM … FROM": "SELECT trim(BOTH 'x' FROM name) FROM probe",
  "DISTINCT over several columns in an aggregate": "SELECT count(DISTINCT a, b) FROM probe",
  "ROLLUP, CUBE or GROUPING SETS": "SELECT a, sum(b) FROM probe GROUP BY ROLLUP (a)",
  "column names after the alias of a query": "SELECT * FROM (VALUES (1, 2)) AS v (a, b)",
  TABLESAMPLE: "SELECT a FROM probe TABLESAMPLE SYSTEM (10)",
  MINUS: "SELECT a FROM probe MINUS SELECT b FROM probe",
  "operator =<": "SELECT a FROM probe WHERE a =< 1",
  "operator =>": "SELECT a FROM probe WHERE a => 1",
  "operator &&": "SELECT a FROM probe WHERE a > 1 && b > 1",
  "operator !": "SELECT a FROM probe WHERE !a",
  TRUNCATE: "TRUNCATE probe",
  "default that calls a function without parentheses around it":
    "CREATE TABLE made (at TEXT DEFAULT date('now'))",
  AUTO_INCREMENT: "CREATE TABLE made (id INTEGER PRIMARY KEY AUTO_INCREMENT)",
  "ALTER COLUMN": "ALTER TABLE probe ALTER COLUMN b TYPE text",
  "CREATE OR REPLACE": "CREATE OR REPLACE VIEW made AS SELECT a FROM probe",
  "ON DUPLICATE KEY": "INSERT INTO probe (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 2",
  MERGE: "MERGE INTO probe USING probe AS p ON true WHEN MATCHED THEN DELETE",
  "INSERT IGNORE": "INSERT IGNORE INTO probe (a) VALUES (1)",
  "DELETE … USING": "DELETE FROM probe USING probe AS p WHERE probe.a = p.b",
  "tables of that catalog": "SELECT * FROM information_schema.tables",
  DESCRIBE: "DESCRIBE probe",
};

const WRONG_ON_POSTGRES: Readonly<Record<string, string>> = {
  "date with modifiers": "SELECT date('now', '-1 day')",
  "time as a function": "SELECT time('now')",
  "char as a function": "SELECT char(65)",
  "max of several values": "SELECT max(a, b) FROM probe",
  "min of several values": "SELECT min(a, b) FROM probe",
  "round of a double precision to digits": "SELECT round(a::double precision, 2) FROM probe",
  "concatenation of these types": "SELECT a || b FROM probe",
  "+ between values of these types": "SELECT name + part FROM probe",
  "comparison of these types": "SELECT a FROM probe WHERE name = a",
  "path into a text": "SELECT name ->> 'key' FROM probe",
  "operator ==": "SELECT a FROM probe WHERE a == 1",
  "operator =<": "SELECT a FROM probe WHERE a =< 1",
  "operator =>": "SELECT a FROM probe WHERE a => 1",
  "operator && between conditions": "SELECT a FROM probe WHERE (a > 1) && (b > 1)",
  "operator !": "SELECT a FROM probe WHERE !(a > 1)",
  rowid: "SELECT rowid FROM probe",
  ROWNUM: "SELECT a FROM probe WHERE rownum < 5",
  SYSDATE: "SELECT sysdate",
  "table sqlite_schema": "SELECT name FROM sqlite_master",
  "table DUAL": "SELECT 1 FROM dual",
  "type of that name": "SELECT CAST(value AS datetime) FROM probe",
  "LIMIT with an offset before it": "SELECT a FROM probe LIMIT 5, 10",
  "names in backticks": "SELECT `a` FROM probe",
  "names in brackets": "SELECT [a] FROM probe",
  "INSERT OR IGNORE": "INSERT OR IGNORE INTO probe (a) VALUES (1)",
  "INSERT OR REPLACE": "INSERT OR REPLACE INTO probe (a) VALUES (1)",
  "UPDATE OR …": "UPDATE OR IGNORE probe SET b = 1",
  "ON DUPLICATE KEY": "INSERT INTO probe (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 2",
  AUTOINCREMENT: "CREATE TABLE made (id INTEGER PRIMARY KEY AUTOINCREMENT)",
  "WITHOUT ROWID": "CREATE TABLE made (id INTEGER PRIMARY KEY) WITHOUT ROWID",
  GLOB: "SELECT a FROM probe WHERE name GLOB 'x*'",
  REGEXP: "SELECT a FROM probe WHERE name REGEXP 'x'",
  MATCH: "SELECT a FROM probe WHERE name MATCH 'word'",
  PRAGMA: "PRAGMA table_info(probe)",
  DESCRIBE: "DESCRIBE probe",
  TOP: "SELECT TOP 5 a FROM probe",
  "intervals without quotes": "SELECT value + INTERVAL 1 DAY FROM probe",
  SEPARATOR: "SELECT string_agg(name SEPARATOR ',') FROM probe",
  "IS between values": "SELECT a FROM probe WHERE a IS 1",
  "LIMIT in a statement that changes rows": "DELETE FROM probe LIMIT 5",
  MINUS: "SELECT a FROM probe MINUS SELECT b FROM probe",
};

interface Engine {
  readonly dialect: Dialect;
  readonly forms: readonly ForeignForm[];
  readonly wrong: Readonly<Record<string, string>>;
  /** Runs a statement and rolls it back. */
  readonly run: (sql: string) => Promise<void>;
}

let database: TestDatabase;
const file = new DatabaseSync(":memory:");
const analyzers: Partial<Record<Dialect, SqlAnalyzer>> = { sqlite: new SqliteAnalyzer() };

const sqlite: Engine = {
  dialect: "sqlite",
  forms: SQLITE_FORMS,
  wrong: WRONG_ON_SQLITE,
  run: async (sql) => {
    file.exec("BEGIN");
    try {
      file.prepare(sql).all();
    } finally {
      file.exec("ROLLBACK");
    }
  },
};
const postgres: Engine = {
  dialect: "postgres",
  forms: POSTGRES_FORMS,
  wrong: WRONG_ON_POSTGRES,
  run: async (sql) => {
    await database.query("BEGIN");
    try {
      await database.query(sql);
    } finally {
      await database.query("ROLLBACK");
    }
  },
};

beforeAll(async () => {
  database = await freshDatabase();
  analyzers.postgres = await PostgresAnalyzer.load();
  await database.query(`
    CREATE TABLE probe (value timestamptz, name text, part text, doc jsonb, number numeric, a int PRIMARY KEY, b int);
    INSERT INTO probe VALUES ('2026-01-31 12:00Z', 'a-b', 'b', '{"key": 1}', 1.5, 1, 2)`);
  file.exec(`
    CREATE TABLE probe (value TEXT, name TEXT, part TEXT, number REAL, a INTEGER PRIMARY KEY, b INTEGER);
    INSERT INTO probe VALUES ('2026-01-31 12:00', 'a-b', 'b', 1.5, 1, 2)`);
});
afterAll(async () => {
  file.close();
  await database[Symbol.asyncDispose]();
});

/** Of a parser, of SQLite, or of PostgreSQL. */
const ERROR_TEXT = new RegExp(
  `error|no such|not supported|must have|unrecognized|^${FOREIGN_MESSAGE}`,
);

/**
 * The answer an agent gets for a statement, from the analyzer or else after the engine has refused
 * it.
 */
async function answerTo(sql: string, { dialect, run }: Engine): Promise<string> {
  const analyzer = analyzers[dialect];
  const analysis = analyzer?.analyze(sql, dialect);
  if (analysis?.kind === "rejected") return analysis.message;
  const refusal = await refusalOf(run(sql), sql);
  return [refusal.message, ...(analyzer?.advise(sql, dialect, refusal) ?? [])].join("\n");
}

/** A complete statement around a fragment. */
function statementOf(fragment: string): string {
  if (/^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b/.test(fragment)) return fragment;
  if (/^(?:LIMIT|ORDER)\b/.test(fragment)) return `SELECT a FROM probe ${fragment}`;
  return `SELECT ${fragment} FROM probe`;
}

describe.each([sqlite, postgres])("a form of another database on $dialect", (engine) => {
  const { dialect, forms, wrong, run } = engine;

  it.each(forms.map(({ form, instead }) => ({ form, instead })))(
    "is answered with what runs there: $form",
    async ({ form, instead }) => {
      const name = /^function (\w+)$/.exec(form)?.[1];
      const statement = name === undefined ? wrong[form] : `SELECT ${name}(value) FROM probe`;
      if (statement === undefined) return expect.fail(`no example of ${form}`);
      const answer = await answerTo(statement, engine);
      expect(answer).toMatch(ERROR_TEXT);
      // Where the statement's own words can be used, nothing is said of others.
      if (/Use `[^`]+` instead of `/.test(answer)) return;
      for (const fragment of instead) expect(answer).toContain(`\`${fragment}\``);
    },
  );

  it.each([...new Set(forms.flatMap(({ instead }) => instead))])("%s", async (fragment) => {
    const statement = statementOf(fragment);
    const analysis = analyzers[dialect]?.analyze(statement, dialect);
    const isRead = statement.startsWith("SELECT") || statement.startsWith("WITH");
    expect(analysis).toMatchObject({
      kind: "statement",
      ...(isRead ? { statementClass: "read_select" } : {}),
    });
    await run(statement);
  });

  it("is not found in a text, a comment or a quoted name", async () => {
    const statement = `SELECT 'a::b ILIKE GLOB' AS "ifnull(LIMIT 5, 6)" FROM nothing -- now() \``;
    const refusal = await refusalOf(run(statement), statement);
    expect(analyzers[dialect]?.advise(statement, dialect, refusal)).toEqual([]);
  });
});

describe("a form that PostgreSQL refuses by a word", () => {
  it.each([
    ["SELECT a FROM probe WHERE name IN (1, 2)", "name = a::text"],
    ["SELECT a FROM probe WHERE name NOT IN (a)", "name = a::text"],
    ["SELECT a FROM probe WHERE name BETWEEN 1 AND 5", "name = a::text"],
    ["SELECT 'é😀' AS t, Max((a), b) FROM probe", "greatest(a, b)"],
    ['SELECT probe."rowid" FROM probe', "row_number() OVER ()"],
    ["SELECT value + 1 FROM probe", "value + interval '1 day'"],
  ])("is found whatever stands around it: %s", async (sql, fragment) => {
    expect(await answerTo(sql, postgres)).toContain(`\`${fragment}\``);
  });

  it.each([
    "SELECT max(coalesce(doc, doc)) FROM probe",
    "SELECT a - name FROM probe",
    "SELECT missing(date('2026-01-31')) FROM probe",
  ])("is not advised on for another reason: %s", async (sql) => {
    expect(await answerTo(sql, postgres)).toBe(FOREIGN_MESSAGE);
  });
});

describe("a text in double quotes", () => {
  it.each([sqlite, postgres])(
    "is answered with the text in single ones on $dialect",
    async (engine) => {
      const answer = await answerTo('SELECT a FROM probe WHERE name = "it\'s"', engine);
      expect(answer).toContain("'it''s'");
      await engine.run("SELECT a FROM probe WHERE name = 'it''s'");
    },
  );
});
