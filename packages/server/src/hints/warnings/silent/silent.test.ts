/**
 * Statements that run and mean something else, over tables with random names and rows. What a warning
 * advises gives the rows of the right statement, and the right statement gets no warning.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { relationsOf } from "@steward/schema";
import { introspectSqlite } from "@steward/schema/sqlite-catalog";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnownTables } from "../../schema/known-tables.js";
import { schemaWarnings } from "../../schema-warnings.js";
import { scopesOf } from "../../statement/scope.js";
import { fixedAsSaid } from "../../testing/mechanical-fixer.js";
import { orderedTexts, misordered } from "./ordered-text.js";
import { notInNulls } from "./not-in-null.js";

type Database = InstanceType<typeof DatabaseSync>;

/** Names of two tables and their columns; some must be quoted. */
const names = fc
  .uniqueArray(
    fc.oneof(
      fc.stringMatching(/^[a-z]{2,6}_[a-z]{2,6}$/),
      fc.stringMatching(/^[A-Z][a-z]{2,6} [a-z]{2,5}$/),
    ),
    { minLength: 8, maxLength: 8, selector: (name) => name.toLowerCase() },
  )
  .map((all) => all.map((name) => (name.includes(" ") ? `"${name}"` : name)));
const numbers = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 6 });

interface Case {
  readonly tables: readonly string[];
  readonly wrong: string;
  readonly right: string;
}

type CaseOf = (names: readonly string[]) => Case;

const parent = ([t, , id, a, b, text]: readonly string[]): string =>
  `CREATE TABLE ${t ?? ""} (${id ?? ""} INTEGER PRIMARY KEY, ${a ?? ""} INTEGER NOT NULL, ${b ?? ""} INTEGER, ${text ?? ""} TEXT)`;
const child = ([t, u, id, a, , , key]: readonly string[]): string =>
  `CREATE TABLE ${u ?? ""} (${key ?? ""} INTEGER PRIMARY KEY, ${a ?? ""} INTEGER NOT NULL, ${id ?? ""} INTEGER NOT NULL REFERENCES ${t ?? ""})`;

/** Kinds whose warning says what to write. */
const FIXED: Readonly<Record<string, CaseOf>> = {
  "a ratio of sums of whole numbers": (all) => {
    const [t, , , a, b] = all;
    const [own, other] = [`sum(${a ?? ""})`, `sum(${b ?? ""})`];
    return {
      tables: [parent(all)],
      wrong: `SELECT ${own} / ${other} FROM ${t ?? ""}`,
      right: `SELECT 1.0 * ${own} / ${other} FROM ${t ?? ""}`,
    };
  },
  "a comparison with NULL": (all) => {
    const [t, , , , b] = all;
    return {
      tables: [parent(all)],
      wrong: `SELECT count(*) FROM ${t ?? ""} x WHERE x.${b ?? ""} = NULL`,
      right: `SELECT count(*) FROM ${t ?? ""} x WHERE x.${b ?? ""} IS NULL`,
    };
  },
  "texts that are added": (all) => {
    const [t, , , , , text] = all;
    return {
      tables: [parent(all)],
      wrong: `SELECT ${text ?? ""} + ', ' + ${text ?? ""} FROM ${t ?? ""}`,
      right: `SELECT ${text ?? ""} || ', ' || ${text ?? ""} FROM ${t ?? ""}`,
    };
  },
  "texts that are subtracted": (all) => {
    const [t, , , , , text] = all;
    return {
      tables: [parent(all)],
      wrong: `SELECT max(x.${text ?? ""} - x.${text ?? ""}) FROM ${t ?? ""} x`,
      right: `SELECT max(julianday(x.${text ?? ""}) - julianday(x.${text ?? ""})) FROM ${t ?? ""} x`,
    };
  },
  "seconds that are read as days": (all) => {
    const [t, , , a] = all;
    return {
      tables: [parent(all)],
      wrong: `SELECT strftime('%Y', ${a ?? ""}) FROM ${t ?? ""}`,
      right: `SELECT strftime('%Y', ${a ?? ""}, 'unixepoch') FROM ${t ?? ""}`,
    };
  },
  "a column without a comma": (all) => {
    const [t, , , a, b] = all;
    return {
      tables: [parent(all)],
      wrong: `SELECT ${a ?? ""} ${b ?? ""} FROM ${t ?? ""}`,
      right: `SELECT ${a ?? ""}, ${b ?? ""} FROM ${t ?? ""}`,
    };
  },
};

/** Kinds of which only the reason is told. */
const TOLD: Readonly<Record<string, CaseOf>> = {
  "a sum that a join repeats": (all) => {
    const [t, u, id, a] = all;
    return {
      tables: [parent(all), child(all)],
      wrong: `SELECT sum(x.${a ?? ""}) FROM ${t ?? ""} x JOIN ${u ?? ""} y ON y.${id ?? ""} = x.${id ?? ""}`,
      right: `SELECT sum(y.${a ?? ""}) FROM ${t ?? ""} x JOIN ${u ?? ""} y ON y.${id ?? ""} = x.${id ?? ""}`,
    };
  },
  "a condition on the table of a LEFT JOIN": (all) => {
    const [t, u, id, a, , , key] = all;
    const join = `SELECT x.${id ?? ""}, y.${key ?? ""} FROM ${t ?? ""} x LEFT JOIN ${u ?? ""} y ON y.${id ?? ""} = x.${id ?? ""}`;
    return {
      tables: [parent(all), child(all)],
      wrong: `${join} WHERE y.${a ?? ""} > 4`,
      right: `${join} AND y.${a ?? ""} > 4`,
    };
  },
};

function opened(
  tables: readonly string[],
  [t, , id, a, b, text]: readonly string[],
  rows: readonly number[],
): Database {
  const db = new DatabaseSync(":memory:");
  for (const table of tables) db.exec(table);
  for (const [index, number] of rows.entries()) {
    const values = `${index + 1}, ${number}, ${index % 2 === 0 ? "NULL" : number + 1}, 'n${number}'`;
    db.exec(
      `INSERT INTO ${t ?? ""} (${id ?? ""}, ${a ?? ""}, ${b ?? ""}, ${text ?? ""}) VALUES (${values})`,
    );
  }
  return db;
}

function readIn(db: Database, sql: string) {
  const tables = new KnownTables(withoutPauses(relationsOf(introspectSqlite(db))), "sqlite");
  return { sql, tables, scopes: scopesOf(sql, tables) };
}

function sentences(db: Database, sql: string): readonly string[] {
  return schemaWarnings(readIn(db, sql)).map(({ sentence }) => sentence);
}

function rowsOf(db: Database, sql: string): readonly unknown[] {
  return db
    .prepare(sql)
    .all()
    .map((row: unknown) => Object.values(row as object));
}

describe("a statement over random tables that means something else", () => {
  it.each(Object.entries(FIXED))("is corrected as the warning says: %s", (_kind, caseOf) => {
    fc.assert(
      fc.property(names, numbers, (all, rows) => {
        const { tables, wrong, right } = caseOf(all);
        const db = opened(tables, all, rows);
        const fixed = fixedAsSaid(wrong, sentences(db, wrong), "sqlite");
        expect(fixed).toBeDefined();
        expect(rowsOf(db, fixed ?? "")).toEqual(rowsOf(db, right));
        expect(sentences(db, right)).toEqual([]);
        db.close();
      }),
      { numRuns: 25 },
    );
  });

  it.each(Object.entries(TOLD))("is told without a claim of what to write: %s", (_kind, caseOf) => {
    fc.assert(
      fc.property(names, numbers, (all, rows) => {
        const { tables, wrong, right } = caseOf(all);
        const db = opened(tables, all, rows);
        expect(sentences(db, wrong)).toHaveLength(1);
        expect(fixedAsSaid(wrong, sentences(db, wrong), "sqlite")).toBeUndefined();
        expect(sentences(db, right)).toEqual([]);
        db.close();
      }),
      { numRuns: 25 },
    );
  });

  it("excludes the NULLs of a query after NOT IN", () => {
    fc.assert(
      fc.property(names, numbers, (all, rows) => {
        const [t, , , a, b] = all;
        const db = opened([parent(all)], all, rows);
        const query = `SELECT ${b ?? ""} FROM ${t ?? ""}`;
        const wrong = `SELECT ${a ?? ""} FROM ${t ?? ""} WHERE ${a ?? ""} NOT IN (${query})`;
        const right = wrong.replace(query, `${query} WHERE ${b ?? ""} IS NOT NULL`);
        const said = notInNulls(readIn(db, wrong)).map(({ sentence }) => sentence);
        expect(rowsOf(db, fixedAsSaid(wrong, said, "sqlite") ?? "")).toEqual(rowsOf(db, right));
        expect(notInNulls(readIn(db, right))).toEqual([]);
        db.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("divisions and joins that are meant", () => {
  it.each([
    "SELECT total / 10 * 10 AS decade, count(*) FROM orders GROUP BY decade",
    "SELECT sum(total) / 100.0 FROM orders",
    "SELECT count(*) FROM orders WHERE total / 60 > 2",
    "SELECT c.id, sum(o.total) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id",
    "SELECT c.id, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id",
    "SELECT c.id FROM customers c LEFT JOIN orders o ON o.customer = c.id WHERE o.id IS NULL",
    "SELECT id + customer FROM orders",
    "SELECT name n FROM customers",
  ])("get no warning: %s", (sql) => {
    const db = new DatabaseSync(":memory:");
    db.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    db.exec(
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers, total INTEGER)",
    );
    expect(sentences(db, sql)).toEqual([]);
    db.close();
  });
});

describe("texts that are ordered", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE t (a TEXT, b)");
  const [ordered] = orderedTexts(readIn(db, "SELECT max(a) FROM t"));

  it.each([
    [["1.2.2024", "03.11.2023"], "dates as texts"],
    [["12 m", "9 m", "100 m"], "numbers as texts"],
    [["2.9.1", "2.10.0"], "versions as texts"],
    [["2024-01-31", "2023-11-03"], undefined],
    [["Oslo", "Bergen"], undefined],
    [["10", "20"], undefined],
  ])("are told by their values %j: %s", (some, told) => {
    const [low, high] = some.toSorted();
    const said = ordered && misordered(ordered, { low, high, some });
    if (told === undefined) expect(said).toEqual([]);
    else expect(said?.[0]?.sentence).toContain(told);
  });

  it("are not read for a statement that chooses the values itself", () => {
    expect(orderedTexts(readIn(db, "SELECT max(b) FROM t WHERE typeof(b) = 'real'"))).toEqual([]);
    expect(orderedTexts(readIn(db, "SELECT a FROM t ORDER BY a"))).toEqual([]);
  });
});
