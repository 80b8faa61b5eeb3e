/**
 * Classes of refused statements over tables with random names. What a hint says, done by a fixer that
 * knows nothing else, gives the rows of the right statement.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { relationsOf } from "@steward/schema";
import { introspectSqlite } from "@steward/schema/sqlite-catalog";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correctionsOf } from "./failure-corrections.js";
import { faultOf } from "./fault.js";
import { KnownTables } from "./schema/known-tables.js";
import { scopesOf } from "./statement/scope.js";
import { correctedAs } from "./testing/corrected-as.js";

type Database = InstanceType<typeof DatabaseSync>;

const names = fc
  .uniqueArray(
    fc.oneof(
      fc.stringMatching(/^q[a-z]{3,6}_[a-z]{2,6}$/),
      fc.stringMatching(/^Q[a-z]{3,6} [a-z]{2,5}$/),
    ),
    { minLength: 8, maxLength: 8, selector: (name) => name.toLowerCase() },
  )
  .map((all) => all.map((name) => (name.includes(" ") ? `"${name}"` : name)));

function failureOf(
  db: Database,
  sql: string,
): { readonly message: string; readonly cause: unknown } {
  try {
    db.prepare(sql).all();
  } catch (error) {
    return { message: (error as Error).message, cause: undefined };
  }
  throw new Error(`it ran: ${sql}`);
}

function rowsOf(db: Database, sql: string): readonly unknown[] {
  return db
    .prepare(sql)
    .all()
    .map((row: unknown) => Object.values(row as object));
}

interface Pair {
  readonly wrong: string;
  readonly right: string;
}

/** Three tables in a row: t refers to u, which refers to v. */
function schemaOf([t, u, v, tId, uId, vId, a, b]: readonly string[]): string {
  return `CREATE TABLE ${v ?? ""} (${vId ?? ""} INTEGER PRIMARY KEY, ${b ?? ""} TEXT NOT NULL);
    CREATE TABLE ${u ?? ""} (${uId ?? ""} INTEGER PRIMARY KEY, ${vId ?? ""} INTEGER NOT NULL REFERENCES ${v ?? ""});
    CREATE TABLE ${t ?? ""} (${tId ?? ""} INTEGER PRIMARY KEY, ${uId ?? ""} INTEGER NOT NULL REFERENCES ${u ?? ""}, ${a ?? ""} INTEGER NOT NULL);
    INSERT INTO ${v ?? ""} VALUES (1, 'x'), (2, 'y');
    INSERT INTO ${u ?? ""} VALUES (1, 2), (2, 1);
    INSERT INTO ${t ?? ""} VALUES (1, 1, 7), (2, 2, 8), (3, 2, 9)`;
}

const ON_SQLITE: Readonly<Record<string, (names: readonly string[]) => Pair>> = {
  "a column two tables away": ([t = "", u = "", v = "", , uId = "", vId = "", , b = ""]) => ({
    wrong: `SELECT x.${b}, count(*) FROM ${t} x GROUP BY x.${b}`,
    right: `SELECT ${v}.${b}, count(*) FROM ${t} x JOIN ${u} ON ${u}.${uId} = x.${uId} JOIN ${v} ON ${v}.${vId} = ${u}.${vId} GROUP BY ${v}.${b}`,
  }),
  "a table by another name, told by its columns": ([, , v = "", , , , , b = ""]) => ({
    wrong: `SELECT count(*) FROM zzzzzz WHERE ${b} = 'x'`,
    right: `SELECT count(*) FROM ${v} WHERE ${b} = 'x'`,
  }),
  "the alias of a window function in WHERE": ([t = "", , , tId = "", uId = "", , a = ""]) => {
    const ranked = `SELECT ${tId}, row_number() OVER (PARTITION BY ${uId} ORDER BY ${a}) AS place FROM ${t}`;
    return {
      wrong: `${ranked} WHERE place = 1 AND ${a} > 7`,
      right: `SELECT * FROM (${ranked} WHERE ${a} > 7) WHERE place = 1`,
    };
  },
  "a window function in WHERE": ([t = "", , , tId = "", uId = "", , a = ""]) => {
    const window = `row_number() OVER (PARTITION BY ${uId} ORDER BY ${a})`;
    return {
      wrong: `SELECT ${tId} FROM ${t} WHERE ${window} = 1`,
      right: `SELECT ${tId} FROM (SELECT ${tId}, ${window} AS n FROM ${t}) WHERE n = 1`,
    };
  },
  "an aggregate of an aggregate": ([t = "", , , , uId = ""]) => ({
    wrong: `SELECT max(count(*)) FROM ${t} GROUP BY ${uId}`,
    right: `SELECT max(n) FROM (SELECT count(*) AS n FROM ${t} GROUP BY ${uId})`,
  }),
  "an aggregate in WHERE, compared with a column of each row": ([t = "", , , , , , a = ""]) => ({
    wrong: `SELECT x.${a} FROM ${t} x WHERE x.${a} >= avg(x.${a})`,
    right: `SELECT ${a} FROM ${t} WHERE ${a} >= (SELECT avg(${a}) FROM ${t})`,
  }),
  "the alias of an aggregate in WHERE, compared with a column": ([t = "", , , , , , a = ""]) => ({
    wrong: `SELECT count(*), max(${a}) AS most FROM ${t} WHERE ${a} < most`,
    right: `SELECT count(*), max(${a}) FROM ${t} WHERE ${a} < (SELECT max(${a}) FROM ${t})`,
  }),
  "an aggregate in WHERE of groups": ([t = "", , , , uId = "", , a = ""]) => ({
    wrong: `SELECT ${uId} FROM ${t} WHERE ${uId} < count(${a}) + 1 GROUP BY ${uId}`,
    right: `SELECT ${uId} FROM ${t} GROUP BY ${uId} HAVING ${uId} < count(${a}) + 1`,
  }),
  "a table of an outer query by its name and not its alias": ([
    t = "",
    u = "",
    ,
    ,
    uId = "",
    vId = "",
  ]) => ({
    wrong: `SELECT y.${uId} FROM ${u} y WHERE EXISTS (SELECT 1 FROM ${t} x WHERE x.${uId} = ${u}.${uId}) AND y.${vId} > 0`,
    right: `SELECT y.${uId} FROM ${u} y WHERE EXISTS (SELECT 1 FROM ${t} x WHERE x.${uId} = y.${uId}) AND y.${vId} > 0`,
  }),
  "ON CONFLICT of columns that are no key": ([, , v = "", , , vId = "", , b = ""]) => ({
    wrong: `INSERT INTO ${v} VALUES (1, 'z') ON CONFLICT (${b}) DO NOTHING RETURNING 1`,
    right: `INSERT INTO ${v} VALUES (1, 'z') ON CONFLICT (${vId}) DO NOTHING RETURNING 1`,
  }),
};

describe("a statement that SQLite refuses, over random tables", () => {
  it.each(Object.entries(ON_SQLITE))("is corrected: %s", (_kind, pairOf) => {
    fc.assert(
      fc.property(names, (all) => {
        const { wrong, right } = pairOf(all);
        const db = new DatabaseSync(":memory:");
        db.exec(schemaOf(all));
        const tables = new KnownTables(withoutPauses(relationsOf(introspectSqlite(db))), "sqlite");
        const fixed = correctedAs(wrong, failureOf(db, wrong), tables);
        expect(fixed, wrong).toBeDefined();
        expect(rowsOf(db, fixed ?? "")).toEqual(rowsOf(db, right));
        db.close();
      }),
      { numRuns: 25 },
    );
  });

  it("tells a table by its columns only to who may read these", () => {
    const db = new DatabaseSync(":memory:");
    db.exec("CREATE TABLE a (id INTEGER PRIMARY KEY, kilo TEXT); CREATE TABLE b (id INTEGER)");
    const tables = new KnownTables(withoutPauses(relationsOf(introspectSqlite(db))), "sqlite");
    const wrong = "SELECT kilo FROM zzzzzz";
    const read = { sql: wrong, tables, scopes: scopesOf(wrong, tables) };
    const fault = faultOf(failureOf(db, wrong), wrong);
    const [told] = correctionsOf({ ...read, fault, constraint: undefined });
    expect(told?.names.map(({ table, columns }) => [table.name, columns])).toEqual([
      ["a", ["kilo"]],
    ]);
    db.close();
  });

  it("names no table when several have the column", () => {
    const db = new DatabaseSync(":memory:");
    db.exec("CREATE TABLE a (kilo TEXT); CREATE TABLE b (kilo TEXT); CREATE TABLE c (status TEXT)");
    const tables = new KnownTables(withoutPauses(relationsOf(introspectSqlite(db))), "sqlite");
    for (const wrong of ["SELECT kilo FROM zzzzzz", "SELECT status FROM zzzzzz"]) {
      expect(correctedAs(wrong, failureOf(db, wrong), tables)).toBeUndefined();
    }
    db.close();
  });
});
