/**
 * Each statement has one mistake. The test applies the answer's advice, using only the mark and the
 * words in the answer, and the result must run on the real engine.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect, SqlAnalyzer } from "../../../governance/index.js";
import { fixedAsSaid } from "../../../hints/testing/mechanical-fixer.js";
import { PostgresAnalyzer } from "../postgres-analyzer.js";
import { SqliteAnalyzer } from "../sqlite-analyzer.js";
import { refusalOf } from "../testing/refusal-of.js";

const SCHEMA = `
  CREATE TABLE t (a integer PRIMARY KEY, b integer, name text);
  CREATE TABLE u (a integer, c integer);
  CREATE TABLE "order" (a integer);
  CREATE TABLE w (a integer, "order" integer, "group" integer, "then" integer, "when" integer);`;

/** Reserved words as names of columns, more than once, and the same with quotes. */
const RESERVED: readonly (readonly [sql: string, quoted: string])[] = [
  ["SELECT a, order FROM w ORDER BY order DESC", 'SELECT a, "order" FROM w ORDER BY "order" DESC'],
  [
    "SELECT group, count(*) FROM w GROUP BY group",
    'SELECT "group", count(*) FROM w GROUP BY "group"',
  ],
  [
    "SELECT order,\n group FROM w WHERE order = 2 AND w.group < 3 ORDER BY a LIMIT 5",
    'SELECT "order",\n "group" FROM w WHERE "order" = 2 AND w."group" < 3 ORDER BY a LIMIT 5',
  ],
  [
    "SELECT w.a, order.a FROM w JOIN order ON order.a = w.a",
    'SELECT w.a, "order".a FROM w JOIN "order" ON "order".a = w.a',
  ],
  ["UPDATE w SET order = 1 WHERE order = 2", 'UPDATE w SET "order" = 1 WHERE "order" = 2'],
  [
    "SELECT sum(then - when) FROM w GROUP BY a ORDER BY sum(then - when)",
    'SELECT sum("then" - "when") FROM w GROUP BY a ORDER BY sum("then" - "when")',
  ],
];

const BROKEN: readonly (readonly [sql: string, advice: string])[] = [
  ["SELEC 1", "did you mean SELECT?"],
  ["SELECT * FORM t", "did you mean FROM?"],
  ["SELECT a FORM t", "did you mean FROM?"],
  ["SELECT a, b FROM t WERE a = 1", "did you mean WHERE?"],
  ["SELECT a FROM t WHERE a = 1 ADN b = 2", "did you mean AND?"],
  ["SELECT b FROM t GROUP YB b", "did you mean BY?"],
  ["SELECT a FROM t ORDR BY a", "did you mean ORDER?"],
  ["SELECT a FROM t ORDER BY a LIMT 5", "did you mean LIMIT?"],
  ["SELECT t.a FROM t LEFT JION u ON t.a = u.a", "did you mean JOIN?"],
  ["SELECT a\nFROM t\nWHRE a = 1", "did you mean WHERE?"],
  ["UPDTE t SET a = 1", "did you mean UPDATE?"],
  ["UPDATE t ST a = 1", "did you mean SET?"],
  ["DELETE FORM t", "did you mean FROM?"],
  ["INSERT INTO t VALUE (1, 2, 'x')", "did you mean VALUES?"],
  ["CREAT TABLE made (a integer)", "did you mean CREATE?"],
  ["SELECT a b name FROM t", "put a comma before this"],
  ["INSERT INTO t (a b) VALUES (1, 2)", "put a comma before this"],
  ["SELECT a, FROM t", "leave out this comma"],
  ["SELECT a,, b FROM t", "leave out this comma"],
  ["SELECT a FROM t WHERE a IN (1, 2,)", "leave out this comma"],
  ["CREATE TABLE made (a integer, b integer,)", "leave out this comma"],
  ["SELECT (a FROM t", "put a closing parenthesis before this"],
  ["SELECT a FROM t WHERE a IN (1, 2", "put a closing parenthesis at the end"],
  ["SELECT a) FROM t", "leave out this closing parenthesis"],
  ["SELECT * FROM order", 'order is a reserved word: as a name it is written "order"'],
  ["SELECT a, then FROM w", 'then is a reserved word: as a name it is written "then"'],
  ["SELECT when FROM w WHERE a > 1", 'when is a reserved word: as a name it is written "when"'],
  ["CREATE TABLE table (a integer)", 'table is a reserved word: as a name it is written "table"'],
  ["SELECT a FROM t WHERE WHERE a = 1", "leave out the second WHERE"],
  ["SELECT b FROM t GROUP b", "put BY before this"],
  ["INSERT t VALUES (1, 2, 'x')", "put INTO before this"],
  ["SELECT CASE WHEN a = 1 THEN b FROM t", "put END before this"],
  ["SELECT a FROM t WHERE a = 1 b = 2", "put AND before this"],
  ["SELECT 'it's' FROM t", "write a single quote within a text twice, as ''"],
];

/** Edits a statement as the answer advises. */
function asAdvised(sql: string, answer: string): string {
  const [, before = "", marked = "", , advice = ""] =
    /\): "…?(.*)>>>(.*)<<<(.*?)…?"; (.+)$/.exec(answer) ?? expect.fail(answer);
  const at = sql.indexOf(`${before}${marked}`) + before.length;
  return sql.slice(0, at) + replacementOf(marked, advice) + sql.slice(at + marked.length);
}

function replacementOf(marked: string, advice: string): string {
  const named = /^(?:did you mean|put) (\w+)/.exec(advice)?.[1] ?? "";
  if (advice.startsWith("did you mean")) return named;
  if (advice.startsWith("leave out")) return "";
  if (advice.startsWith("put a comma")) return `, ${marked}`;
  if (advice.startsWith("put a closing")) return `) ${marked}`;
  if (advice.startsWith("put ")) return `${named} ${marked}`;
  return advice.includes("reserved") ? `"${marked}"` : "''";
}

let database: TestDatabase;
const file = new DatabaseSync(":memory:");
const analyzers: Partial<Record<Dialect, SqlAnalyzer>> = { sqlite: new SqliteAnalyzer() };

beforeAll(async () => {
  database = await freshDatabase();
  await database.query(SCHEMA);
  file.exec(SCHEMA);
  analyzers.postgres = await PostgresAnalyzer.load();
});
afterAll(async () => {
  file.close();
  await database[Symbol.asyncDispose]();
});

function answerTo(sql: string, dialect: Dialect): string {
  const analysis = analyzers[dialect]?.analyze(sql, dialect);
  return analysis?.kind === "rejected" ? analysis.message : "it parses";
}

/** Runs a statement on the engine and rolls it back. */
async function run(sql: string, dialect: Dialect): Promise<void> {
  const query = async (text: string): Promise<unknown> =>
    dialect === "sqlite" ? file.prepare(text).all() : database.query(text);
  await query("BEGIN");
  try {
    await query(sql);
  } finally {
    await query("ROLLBACK");
  }
}

describe.each(["sqlite", "postgres"] as const)("the answer to a syntax error of %s", (dialect) => {
  it.each(BROKEN)("leads to a statement that runs: %s", async (sql, advice) => {
    const answer = answerTo(sql, dialect);
    expect(answer).toContain(advice);
    await run(asAdvised(sql, answer), dialect);
  });

  it("leads to a statement that runs also where a misspelt keyword was taken for a column", async () => {
    for (const sql of ["SELECT FORM t", "SELECT 1 AS n, FORM t"]) {
      const refusal = await refusalOf(run(sql, dialect), sql);
      const advice = analyzers[dialect]?.advise(sql, dialect, refusal) ?? [];
      const text = /did you mean (.+) in place of FORM\?/.exec(advice.join(" "))?.[1];
      if (sql === "SELECT FORM t") await run(sql.replace("FORM", text ?? sql), dialect);
      else expect(text).toBeUndefined();
    }
  });

  it("shows the line and where in it, cut to what fits", () => {
    const long = `SELECT '${"x".repeat(100)}',\n  '😀' AS smile, a FROM t WERE a = '${"y".repeat(100)}'`;
    expect(answerTo(long, dialect)).toMatch(
      /\(line 2, column \d+\): "'😀' AS smile, a FROM t >>>WERE<<< a = 'y{30,40}…"; did you mean WHERE\?$/,
    );
  });

  it.each(RESERVED)("quotes reserved words wherever they are names: %s", async (sql, quoted) => {
    const fixed = fixedAsSaid(sql, [answerTo(sql, dialect)], dialect);
    expect(fixed?.replaceAll(/\s+/g, " ")).toBe(quoted.replaceAll(/\s+/g, " "));
    await run(fixed ?? sql, dialect);
  });

  it("quotes no keyword that stands in its own place", () => {
    for (const sql of [
      "SELECT a, FROM t",
      "SELECT a, ORDER BY a",
      "SELECT a FROM t GROUP BY a, ORDER BY a",
      "SELECT a FROM t ORDER BY LIMIT 5",
      "SELECT a FROM t WHERE LIMIT 5 ORDER BY a",
    ]) {
      expect(answerTo(sql, dialect)).not.toMatch(/reserved/i);
    }
  });

  it("names the first of two words that are misspelt", () => {
    expect(answerTo("SELECT a FORM t WERE a = 1", dialect)).toContain("did you mean FROM?");
  });

  it("says that a statement ends too early, or has its clauses in a wrong order", () => {
    expect(answerTo("SELECT a FROM t WHERE", dialect)).toMatch(/ends before it is complete$/);
    expect(answerTo("SELECT a FROM t LIMIT 5 WHERE b = 2", dialect)).toContain(
      "in the order FROM, WHERE",
    );
  });

  it("looks for no repair of a long statement, nor for one of many words", () => {
    const near = "SELECT ".concat("form fom wher ".repeat(280), ")");
    expect(answerTo(near, dialect)).toContain("syntax error");
    expect(answerTo(near, dialect)).not.toContain("did you mean");
    expect(answerTo(`SELEC ${"a, ".repeat(2000)} 1`, dialect)).toMatch(/>>>SELEC<<</);
  });
});
