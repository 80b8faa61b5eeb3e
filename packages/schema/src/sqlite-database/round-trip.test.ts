import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  identify,
  quadsOf,
  readDefinitions,
  rootOf,
  schemaOf,
  scriptBetween,
  scriptFor,
} from "../index.js";
import type { Schema } from "../index.js";
import { SQLITE_SCHEMAS } from "../testing/sqlite-schemas.js";
import { SqliteScratch } from "./scratch-sqlite.js";

async function schemaFrom(sql: string): Promise<Schema> {
  await using scratch = new SqliteScratch();
  await scratch.define(await readDefinitions(sql, "sqlite"));
  return identify(await scratch.introspect(), undefined);
}

describe("a SQLite schema", () => {
  it.each(Object.keys(SQLITE_SCHEMAS))(
    "is the same after being generated anew: %s",
    async (name) => {
      const schema = await schemaFrom(SQLITE_SCHEMAS[name] ?? "");
      await using scratch = new SqliteScratch();
      await scratch.run(scriptFor(schema));
      expect(rootOf(identify(await scratch.introspect(), undefined))).toBe(rootOf(schema));
    },
  );

  it.each(Object.keys(SQLITE_SCHEMAS))(
    "is read back from its statements whole: %s",
    async (name) => {
      const schema = await schemaFrom(SQLITE_SCHEMAS[name] ?? "");
      const read = schemaOf(quadsOf(schema.objects));
      const byId = (each: Schema) => [...each.objects].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(byId(read)).toEqual(byId(schema));
      expect(rootOf(read)).toBe(rootOf(schema));
    },
  );

  it("is the same however it is spelled", async () => {
    const one =
      await schemaFrom(`create table T(id integer primary key, "n" varchar ( 10 ) not null,
      check(n<>'' and n is not null)); create index i on t(n asc); create view v as select n from T`);
    const other = await schemaFrom(
      `-- the same
      CREATE TABLE IF NOT EXISTS T (n VARCHAR(10) CONSTRAINT "x" NOT NULL, [id] INTEGER PRIMARY KEY NOT DEFERRABLE,
      CHECK ( n <> '' AND n IS NOT NULL /* really */ ))`
        .replace(' CONSTRAINT "x"', "")
        .replace(" NOT DEFERRABLE", "") +
        ";CREATE INDEX i ON T(`n`); CREATE VIEW v AS SELECT n FROM T;",
    );
    expect(rootOf(one)).toBe(rootOf(other));
  });

  it("is another for every difference that means something", async () => {
    const variants = [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x')",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT DEFAULT 'X')",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT CHECK (b <> ''))",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT REFERENCES t (a))",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT REFERENCES t (a) ON DELETE CASCADE)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT AS (a) VIRTUAL)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT AS (a) STORED)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t (b)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t (b DESC)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t (b) WHERE a > 1",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE UNIQUE INDEX i ON t (b)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, PRIMARY KEY (a))".replace(
        ", PRIMARY KEY (a)",
        ", c",
      ),
      "CREATE TABLE T (a INTEGER PRIMARY KEY, b TEXT)",
    ];
    const roots = await Promise.all(variants.map(async (sql) => rootOf(await schemaFrom(sql))));
    expect(new Set(roots).size).toBe(variants.length);
  });

  it("leads to any other and back, whatever the two are", async () => {
    await fc.assert(
      fc.asyncProperty(anySchema, anySchema, async (one, other) => {
        const base = await schemaFrom(one);
        await using wanted = new SqliteScratch();
        await wanted.define(await readDefinitions(other, "sqlite"));
        const target = identify(await wanted.introspect(), base);
        await using database = new SqliteScratch();
        await database.define(await readDefinitions(one, "sqlite"));
        await database.run(scriptBetween(base, target));
        expect(rootOf(identify(await database.introspect(), target))).toBe(rootOf(target));
        await database.run(scriptBetween(target, base));
        expect(rootOf(identify(await database.introspect(), base))).toBe(rootOf(base));
      }),
      { numRuns: 300 },
    );
  });
});

const name = fc.constantFrom("a", "b", "c", "order", "Mixed", "two words");
const column = fc.record({
  name,
  type: fc.constantFrom("INTEGER", "TEXT", "VARCHAR(20)", "REAL", ""),
  extra: fc.constantFrom(
    ...["", "NOT NULL", "DEFAULT 7", "NOT NULL DEFAULT 'x'", "DEFAULT (abs(-1))", "COLLATE NOCASE"],
    ...["UNIQUE", "CHECK (1 > 0)", "REFERENCES t0 (id)", "REFERENCES t1 (id) ON DELETE CASCADE"],
    ...["AS (id + 1)", "AS (id + 2) STORED", "DEFAULT CURRENT_TIMESTAMP"],
  ),
});
const table = fc.record({
  columns: fc.uniqueArray(column, { maxLength: 4, selector: (each) => each.name.toLowerCase() }),
  key: fc.constantFrom(
    "id INTEGER PRIMARY KEY",
    "id INTEGER PRIMARY KEY AUTOINCREMENT",
    "id TEXT NOT NULL",
  ),
  indexed: fc.subarray([0, 1, 2, 3]),
  hasView: fc.boolean(),
  hasTrigger: fc.boolean(),
  isUnique: fc.boolean(),
});

/** Up to three tables with their indexes, views and triggers. */
const anySchema = fc
  .tuple(fc.option(table), fc.option(table), fc.option(table))
  .map((tables) =>
    tables.flatMap((each, index) => (each === null ? [] : tableSql(each, index))).join(";\n"),
  )
  .filter(isAccepted);

function tableSql(
  each: typeof table extends fc.Arbitrary<infer T> ? T : never,
  index: number,
): string[] {
  const own = `t${index}`;
  const columns = each.columns.map(({ name, type, extra }) => `"${name}" ${type} ${extra}`);
  const indexed = each.indexed.flatMap((at) =>
    each.columns[at] === undefined ? [] : [each.columns[at].name],
  );
  return [
    `CREATE TABLE ${own} (${[each.key, ...columns].join(", ")})`,
    ...indexed.map(
      (at, n) =>
        `CREATE ${each.isUnique ? "UNIQUE " : ""}INDEX i${index}${n} ON ${own} ("${at}" DESC)`,
    ),
    ...(each.hasView
      ? [
          `CREATE VIEW v${index} AS SELECT ${["id", ...indexed.map((at) => `"${at}"`)].join(", ")} FROM ${own}`,
        ]
      : []),
    ...(each.hasTrigger
      ? [
          `CREATE TRIGGER r${index} AFTER INSERT ON ${own} BEGIN DELETE FROM ${own} WHERE id = NEW.id + 1; END`,
        ]
      : []),
  ];
}

/** Some generated schemas are invalid; the engine decides. */
function isAccepted(sql: string): boolean {
  const db = new DatabaseSync(":memory:");
  try {
    db.exec(sql);
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}
