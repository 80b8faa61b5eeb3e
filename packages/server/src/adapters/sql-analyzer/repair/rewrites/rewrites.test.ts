/**
 * Statements in the SQL of other databases, over random values. What is advised runs on the engine and
 * gives the rows of the statement that its own SQL would have.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edited, rewritesIn } from "./rewrites.js";

/** A statement of another database, and the same in the engine's own SQL; `N` is a number, `D` a date. */
type Pair = readonly [foreign: string, own: string];

const ON_SQLITE: readonly Pair[] = [
  ["SELECT LEFT(name, N) FROM t", "SELECT substr(name, 1, N) FROM t"],
  ["SELECT RIGHT(name, N) FROM t", "SELECT substr(name, -N) FROM t"],
  ["SELECT STRPOS(name, ',') FROM t", "SELECT instr(name, ',') FROM t"],
  ["SELECT CHARINDEX(',', name) FROM t", "SELECT instr(name, ',') FROM t"],
  ["SELECT POSITION(',' IN name) FROM t", "SELECT instr(name, ',') FROM t"],
  ["SELECT SPLIT_PART(name, ',', 1) FROM t", "SELECT substr(name, 1, instr(name, ',') - 1) FROM t"],
  ["SELECT NVL(n, N) FROM t", "SELECT coalesce(n, N) FROM t"],
  ["SELECT GREATEST(id, N) FROM t", "SELECT max(id, N) FROM t"],
  [
    "SELECT YEAR(at), MONTH(at) FROM t",
    "SELECT CAST(strftime('%Y', at) AS INTEGER), CAST(strftime('%m', at) AS INTEGER) FROM t",
  ],
  ["SELECT EXTRACT(DAY FROM at) FROM t", "SELECT CAST(strftime('%d', at) AS INTEGER) FROM t"],
  ["SELECT DATE_TRUNC('month', at) FROM t", "SELECT strftime('%Y-%m-01', at) FROM t"],
  ["SELECT DATE_FORMAT(at, '%Y/%m/%d') FROM t", "SELECT strftime('%Y/%m/%d', at) FROM t"],
  ["SELECT TO_CHAR(at, 'YYYY-MM') FROM t", "SELECT strftime('%Y-%m', at) FROM t"],
  ["SELECT TO_DATE(german, 'DD.MM.YYYY') FROM t", "SELECT at FROM t"],
  ["SELECT STR_TO_DATE(german, '%d.%m.%Y') FROM t", "SELECT at FROM t"],
  [
    "SELECT DATEDIFF(at, 'D') FROM t",
    "SELECT CAST(julianday(at) - julianday('D') AS INTEGER) FROM t",
  ],
  [
    "SELECT id FROM t WHERE at > DATE_ADD('D', INTERVAL N DAY)",
    "SELECT id FROM t WHERE at > date('D', '+N days')",
  ],
  [
    "SELECT id FROM t WHERE at > DATE 'D' - INTERVAL 'N days'",
    "SELECT id FROM t WHERE at > date('D', '-N days')",
  ],
  ["SELECT DATEADD(month, N, 'D')", "SELECT date('D', '+N months')"],
  [
    "SELECT TIMESTAMPDIFF(YEAR, at, '2031-12-31') FROM t",
    "SELECT 2031 - strftime('%Y', at) FROM t",
  ],
  ["SELECT UNIX_TIMESTAMP(at) FROM t", "SELECT unixepoch(at) FROM t"],
  ["SELECT id::text FROM t", "SELECT CAST(id AS TEXT) FROM t"],
  ["SELECT sum((id * N)::numeric) FROM t", "SELECT sum(CAST((id * N) AS REAL)) FROM t"],
  ["SELECT id FROM t WHERE name ILIKE 'A%'", "SELECT id FROM t WHERE name LIKE 'A%'"],
  ["SELECT id FROM t WHERE id > ALL (SELECT N FROM t)", "SELECT id FROM t WHERE id > N"],
  ["SELECT id FROM t WHERE id = ANY (SELECT N)", "SELECT id FROM t WHERE id = N"],
  ["SELECT id FROM t ORDER BY id FETCH FIRST N ROWS ONLY", "SELECT id FROM t ORDER BY id LIMIT N"],
  [
    "SELECT id FROM t ORDER BY id OFFSET 1 ROWS FETCH NEXT N ROWS ONLY",
    "SELECT id FROM t ORDER BY id LIMIT N OFFSET 1",
  ],
  ["SELECT TOP N id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id LIMIT N"],
  ["SELECT id FROM t MINUS SELECT N", "SELECT id FROM t EXCEPT SELECT N"],
  ["SELECT CONVERT(INTEGER, name) FROM t", "SELECT CAST(name AS INTEGER) FROM t"],
  [
    "SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY n ORDER BY id) = 1",
    "SELECT min(id) FROM t GROUP BY n",
  ],
  [
    "SELECT DATE_DIFF('day', 'D', at) FROM t",
    "SELECT CAST(julianday(at) - julianday('D') AS INTEGER) FROM t",
  ],
  ["SELECT id FROM t WHERE at < SYSDATE", "SELECT id FROM t WHERE at < datetime('now')"],
  ["SELECT NVL(LEFT(name, N), LCASE(name)) FROM t", "SELECT substr(name, 1, N) FROM t"],
];

const ON_POSTGRES: readonly Pair[] = [
  ["SELECT IFNULL(n, N) FROM t", "SELECT coalesce(n, N) FROM t"],
  ["SELECT IF(id > N, 1, 2) FROM t", "SELECT CASE WHEN id > N THEN 1 ELSE 2 END FROM t"],
  ["SELECT INSTR(name, ',') FROM t", "SELECT strpos(name, ',') FROM t"],
  [
    "SELECT YEAR(at), MONTH(at) FROM t",
    "SELECT extract(year FROM at), extract(month FROM at) FROM t",
  ],
  ["SELECT DATE_FORMAT(at, '%Y-%m') FROM t", "SELECT to_char(at, 'YYYY-MM') FROM t"],
  ["SELECT STRFTIME('%Y', at) FROM t", "SELECT to_char(at, 'YYYY') FROM t"],
  [
    "SELECT id FROM t WHERE at > DATE_SUB('D', INTERVAL N DAY)",
    "SELECT id FROM t WHERE at > DATE 'D' - N",
  ],
  [
    "SELECT id FROM t WHERE at > DATE 'D' + INTERVAL N DAY",
    "SELECT id FROM t WHERE at > DATE 'D' + N",
  ],
  ["SELECT DATEDIFF(at, 'D') FROM t", "SELECT at - DATE 'D' FROM t"],
  ["SELECT STR_TO_DATE(german, '%d.%m.%Y') FROM t", "SELECT at FROM t"],
  ["SELECT JSON_EXTRACT(doc, '$.a.b') FROM t", "SELECT doc -> 'a' ->> 'b' FROM t"],
  ["SELECT GROUP_CONCAT(id) FROM t", "SELECT string_agg(id::text, ',') FROM t"],
  [
    "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n SEPARATOR ';') FROM t",
    "SELECT string_agg(DISTINCT n::text, ';') FROM t",
  ],
  ["SELECT SUBSTRING_INDEX(name, ',', 1) FROM t", "SELECT split_part(name, ',', 1) FROM t"],
  ["SELECT MEDIAN(id) FROM t", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM t"],
  ["SELECT id FROM t ORDER BY id LIMIT 1, N", "SELECT id FROM t ORDER BY id LIMIT N OFFSET 1"],
  ["SELECT id FROM t WHERE id == N", "SELECT id FROM t WHERE id = N"],
  ["SELECT TOP N id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id LIMIT N"],
  [
    "SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY n ORDER BY id) = 1",
    "SELECT min(id) FROM t GROUP BY n",
  ],
];

const numbers = fc.integer({ min: 1, max: 9 });
const dates = fc
  .tuple(
    fc.integer({ min: 2000, max: 2030 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) =>
    [year, String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-"),
  );
const ROWS = [
  [1, "Ada,Lo", 3, "2019-03-31", "31.03.2019"],
  [2, "bo,b", 3, "2024-07-01", "01.07.2024"],
  [5, "anna,n", null, "2011-12-24", "24.12.2011"],
] as const;

function filled(sql: string, number: number, date: string): string {
  return sql.replaceAll(/\bN\b/g, String(number)).replaceAll(/\bD\b/g, date);
}

describe("SQL of other databases on SQLite", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER, at TEXT, german TEXT)");
  for (const row of ROWS) db.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)").run(...row);
  afterAll(() => {
    db.close();
  });
  const rowsOf = (sql: string): string =>
    db
      .prepare(sql)
      .all()
      .map((row: unknown) => JSON.stringify(Object.values(row as object)))
      .sort()
      .join("\n");

  it.each(ON_SQLITE)("is written in SQLite's own: %s", (foreign, own) => {
    fc.assert(
      fc.property(numbers, dates, (number, date) => {
        const [wrong, right] = [filled(foreign, number, date), filled(own, number, date)];
        expect(() => rowsOf(wrong)).toThrow();
        expect(rowsOf(edited(wrong, rewritesIn(wrong, "sqlite")))).toBe(rowsOf(right));
        expect(rewritesIn(right, "sqlite")).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("writes UPDATE with a join as UPDATE with FROM", () => {
    const wrong = "UPDATE t x JOIN t y ON y.n = x.id SET x.name = y.name WHERE y.id > 1";
    const [edit] = rewritesIn(wrong, "sqlite");
    expect(edit?.fragment).toBe(
      "UPDATE t AS x SET name = y.name FROM t y WHERE y.n = x.id AND (y.id > 1)",
    );
    db.exec(`BEGIN; ${edit?.fragment ?? ""}; ROLLBACK`);
  });

  it.each([
    "SELECT DATE_FORMAT(at, '%W') FROM t",
    "SELECT at + INTERVAL '1 day' FROM t",
    "SELECT TO_CHAR(n, '999') FROM t",
    "SELECT LEFT(name) FROM t",
  ])("claims nothing where there is no exact equivalent: %s", (sql) => {
    expect(rewritesIn(sql, "sqlite")).toEqual([]);
  });
});

describe("SQL of other databases on PostgreSQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
    await database.query(`CREATE TABLE t (id integer PRIMARY KEY, name text, n integer, at date, german text,
      doc jsonb DEFAULT '{"a": {"b": 7}}')`);
    for (const row of ROWS)
      await database.query("INSERT INTO t VALUES ($1, $2, $3, $4, $5)", [...row]);
  });
  afterAll(() => database[Symbol.asyncDispose]());
  const rowsOf = async (sql: string): Promise<string> =>
    (await database.query(sql))
      .map((row) => JSON.stringify(Object.values(row)))
      .sort()
      .join("\n");

  it.each(ON_POSTGRES)("is written in PostgreSQL's own: %s", async (foreign, own) => {
    await fc.assert(
      fc.asyncProperty(numbers, dates, async (number, date) => {
        const [wrong, right] = [filled(foreign, number, date), filled(own, number, date)];
        await expect(rowsOf(wrong)).rejects.toThrow();
        expect(await rowsOf(edited(wrong, rewritesIn(wrong, "postgres")))).toBe(
          await rowsOf(right),
        );
        expect(rewritesIn(right, "postgres")).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});
