/**
 * Classes of statements that PostgreSQL refuses, in a schema with quoted names. What a hint says, done by a
 * fixer that knows nothing else, gives the rows of the right statement.
 */
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { relationsOf } from "@steward/schema";
import { CATALOG_SETTINGS, introspectPostgres } from "@steward/schema/postgres-catalog";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KnownTables } from "../hints/schema/known-tables.js";
import { correctedAs } from "../hints/testing/corrected-as.js";

interface Pair {
  readonly wrong: string;
  readonly right: string;
}

const ON_POSTGRES: readonly Pair[] = [
  {
    wrong: "SELECT GRADE, count(*) AS n FROM T GROUP BY GRADE HAVING n > 1",
    right: "SELECT GRADE, count(*) AS n FROM T GROUP BY GRADE HAVING count(*) > 1",
  },
  {
    wrong: "SELECT upper(NAME) AS big FROM T WHERE big = 'ONE' AND OK",
    right: "SELECT upper(NAME) AS big FROM T WHERE upper(NAME) = 'ONE' AND OK",
  },
  {
    wrong: "SELECT T.DOC->'a'->>'n' FROM T WHERE T.DOC->'a'->>'n' > 5",
    right: "SELECT DOC->'a'->>'n' FROM T WHERE (DOC->'a'->>'n')::numeric > 5",
  },
  {
    wrong: "SELECT avg(DOC->'a'->'n') FROM T",
    right: "SELECT avg((DOC->'a'->>'n')::numeric) FROM T",
  },
  { wrong: "SELECT DOC.kind FROM T", right: "SELECT DOC->>'kind' FROM T" },
  { wrong: "SELECT NAME + ', ' + NAME FROM T", right: "SELECT NAME || ', ' || NAME FROM T" },
  {
    wrong: "SELECT count(*) FROM T WHERE TAGS = 'red'",
    right: "SELECT count(*) FROM T WHERE 'red' = ANY(TAGS)",
  },
  {
    wrong: "SELECT count(*) FROM T WHERE TAGS @> ('red', 'blue')",
    right: "SELECT count(*) FROM T WHERE TAGS @> ARRAY['red', 'blue']",
  },
  {
    wrong: "SELECT count(*) FROM T WHERE TAGS LIKE '%red%'",
    right: "SELECT count(*) FROM T WHERE 'red' = ANY(TAGS)",
  },
  {
    wrong: "SELECT count(*) FROM T WHERE GRADE ILIKE 'g%'",
    right: "SELECT count(*) FROM T WHERE GRADE::text ILIKE 'g%'",
  },
  { wrong: "SELECT sum(OK) FROM T", right: "SELECT sum(OK::int) FROM T" },
  {
    wrong: "SELECT count(*) FROM T WHERE AT = 2024",
    right: "SELECT count(*) FROM T WHERE extract(year FROM AT) = 2024",
  },
  {
    wrong: "SELECT NAME FROM T WHERE id >= avg(id)",
    right: "SELECT NAME FROM T WHERE id >= (SELECT avg(id) FROM T)",
  },
  {
    wrong: "SELECT x.NAME FROM T x WHERE x.id * 2 > max(x.id) FILTER (WHERE x.OK) + 1",
    right: "SELECT NAME FROM T WHERE id * 2 > (SELECT max(id) FROM T WHERE OK) + 1",
  },
  {
    wrong: "SELECT GRADE, count(*) FROM T WHERE id < max(id) GROUP BY GRADE",
    right: "SELECT GRADE, count(*) FROM T WHERE id < (SELECT max(id) FROM T) GROUP BY GRADE",
  },
  {
    wrong: "SELECT GRADE FROM T WHERE count(*) > 1 GROUP BY GRADE",
    right: "SELECT GRADE FROM T GROUP BY GRADE HAVING count(*) > 1",
  },
  {
    wrong: "UPDATE T SET NAME = 'last' WHERE id = max(id) RETURNING id",
    right: "SELECT 3",
  },
  {
    wrong: "SELECT x.NAME FROM T x WHERE EXISTS (SELECT 1 FROM T y WHERE y.id > T.id)",
    right: "SELECT x.NAME FROM T x WHERE EXISTS (SELECT 1 FROM T y WHERE y.id > x.id)",
  },
  {
    wrong: "SELECT count(*) FROM T WHERE GRADE = 'go od'",
    right: "SELECT count(*) FROM T WHERE GRADE = 'Good'",
  },
];

describe("a statement that PostgreSQL refuses, in a schema with quoted names", () => {
  let database: TestDatabase;
  let tables: KnownTables;
  const named = (sql: string): string =>
    sql
      .replaceAll(/\bT\b/g, '"My Shop"."Things"')
      .replaceAll(
        /\b(DOC|NAME|TAGS|GRADE|OK|AT)\b/g,
        (word) => `"${word.charAt(0)}${word.slice(1).toLowerCase()}X"`,
      )
      .replaceAll('"My Shop"."Things".', '"Things".');
  const rows = async (sql: string): Promise<string> =>
    (await database.query(sql))
      .map((row) => JSON.stringify(Object.values(row)))
      .sort()
      .join("\n");

  beforeAll(async () => {
    database = await freshDatabase();
    await database.query(`CREATE SCHEMA "My Shop"; CREATE TYPE "My Shop"."Grade" AS ENUM ('Good', 'Bad');
      CREATE TABLE "My Shop"."Things" (id integer PRIMARY KEY, "DocX" jsonb NOT NULL, "NameX" text NOT NULL,
        "TagsX" text[] NOT NULL, "GradeX" "My Shop"."Grade" NOT NULL, "OkX" boolean NOT NULL, "AtX" timestamptz NOT NULL);
      INSERT INTO "My Shop"."Things" VALUES
        (1, '{"a": {"n": 10}, "kind": "k"}', 'One', '{red,blue}', 'Good', true, '2024-02-03'),
        (2, '{"a": {"n": 9}}', 'Two', '{red}', 'Bad', false, '2023-02-03'),
        (3, '{"a": {"n": 2}}', 'Three', '{}', 'Good', true, '2024-12-03')`);
    const client = new pg.Client(database.url);
    await client.connect();
    for (const setting of CATALOG_SETTINGS) await client.query(`SET ${setting}`);
    const schema = await introspectPostgres(async (sql) => (await client.query<object>(sql)).rows);
    await client.end();
    tables = new KnownTables(withoutPauses(relationsOf(schema)), "postgres");
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each(ON_POSTGRES)("is corrected: $wrong", async (pair) => {
    const [wrong, right] = [named(pair.wrong), named(pair.right)];
    const cause: unknown = await database.query(wrong).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(cause, wrong).toBeInstanceOf(Error);
    const fixed = correctedAs(wrong, { message: (cause as Error).message, cause }, tables);
    expect(fixed, wrong).toBeDefined();
    expect(await rows(fixed ?? "")).toBe(await rows(right));
  });
});
