import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SqliteSyntax } from "./sqlite-syntax.js";

const syntax = new SqliteSyntax();

/** SQLite's own description of a database's only table; undefined when SQLite refuses the text. */
function described(sql: string): object | undefined {
  const db = new DatabaseSync(":memory:");
  try {
    db.exec(sql);
    const columns = db.prepare("SELECT * FROM pragma_table_xinfo('t') ORDER BY cid").all();
    const keys = db.prepare("SELECT * FROM pragma_foreign_key_list('t') ORDER BY id, seq").all();
    const [table] = db.prepare("SELECT strict, wr FROM pragma_table_list('t')").all();
    return {
      columns: columns.map(({ name, type, notnull, hidden, pk }) => {
        const storage = { 2: "virtual", 3: "stored" }[Number(hidden)];
        return {
          name,
          type: squeezed(String(type)),
          isNotNull: notnull === 1 || pk !== 0,
          storage,
        };
      }),
      // SQLite lists the last foreign key first.
      keys: keys.reverse().map(({ table: target, on_delete, on_update }) => {
        return { target, onDelete: on_delete, onUpdate: on_update };
      }),
      unique: uniqueColumns(db),
      isStrict: table?.["strict"] === 1,
      isWithoutRowid: table?.["wr"] === 1,
    };
  } catch {
    return undefined;
  } finally {
    db.close();
  }
}

/** The columns with a UNIQUE constraint, without those of the primary key, which hides it. */
function uniqueColumns(db: InstanceType<typeof DatabaseSync>): readonly unknown[] {
  const sql = `SELECT DISTINCT c.name FROM pragma_index_list('t') i, pragma_index_info(i.name) c
    WHERE i.origin = 'u' AND c.name NOT IN (SELECT name FROM pragma_table_info('t') WHERE pk > 0)
    ORDER BY 1`;
  return db
    .prepare(sql)
    .all()
    .map(({ name }) => name);
}

/** The same, read from the statement. */
function read(sql: string): object {
  const { columns, constraints, isStrict, isWithoutRowid } = syntax.table(sql);
  const primary = constraints.flatMap((each) => (each.kind === "primary" ? each.columns : []));
  const unique = constraints.flatMap((each) => (each.kind === "unique" ? each.columns : []));
  const own = new Set(unique.map(({ column }) => column));
  for (const { column } of primary) own.delete(column);
  return {
    columns: columns.map(({ name, type, notNull, generated }) => {
      // The columns of some primary keys are not null without saying so, and so all count as such.
      const isNotNull = notNull !== undefined || primary.some(({ column }) => column === name);
      return { name, type: squeezed(type), isNotNull, storage: generated?.storage };
    }),
    keys: constraints.flatMap((each) => {
      if (each.kind !== "foreign") return [];
      const [onDelete, onUpdate] = [each.onDelete, each.onUpdate].map(
        (action) => action?.toUpperCase() ?? "NO ACTION",
      );
      return [{ target: each.table, onDelete, onUpdate }];
    }),
    unique: [...own].sort(),
    isStrict,
    isWithoutRowid,
  };
}

function squeezed(type: string): string {
  return type.replaceAll(/[\s"]/g, "").toLowerCase();
}

const gap = fc.constantFrom(" ", "\n", " /* , ( */ ", " -- it's )\n");
const label = fc.constantFrom("", "", ' CONSTRAINT "n 1"', " CONSTRAINT n2");
const conflict = fc.constantFrom("", "", " ON CONFLICT IGNORE", " ON CONFLICT ABORT");
const deferral = fc.constantFrom(
  ...["", "", " NOT DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE"],
);
const action = fc.constantFrom(
  ...["", " ON DELETE CASCADE", " ON UPDATE SET NULL", " ON DELETE NO ACTION", " MATCH FULL"],
);
const reference = fc
  .tuple(fc.constantFrom("o", '"o p"', "[q]"), action, action, deferral)
  .map(([table, ...rules]) => ` REFERENCES ${table} (id)${rules.join("")}`);
const rule = fc.oneof(
  fc.tuple(label, fc.constantFrom(" NOT NULL", " NULL", " UNIQUE"), conflict),
  fc.tuple(label, fc.constantFrom(" CHECK (a <> ')')", " DEFAULT (1 + 2)", " DEFAULT -1")),
  fc.tuple(label, fc.constantFrom(" COLLATE nocase", " DEFAULT 'it''s, (so'", " DEFAULT 1_0")),
  fc.tuple(label, reference),
  fc.tuple(deferral),
);
const type = fc.constantFrom("", " INTEGER", " VARCHAR(10)", " double precision", ' "my type"');
const column = fc
  .tuple(gap, type, fc.array(fc.tuple(rule, gap), { maxLength: 3 }))
  .map(([space, ofType, rules]) => `${space}${ofType}${rules.flat(2).join("")}`);
const table = fc
  .tuple(
    fc.tuple(column, fc.constantFrom("", "", " PRIMARY KEY", " PRIMARY KEY DESC NOT DEFERRABLE")),
    column,
    fc.constantFrom("", ", UNIQUE ([b])", ", CHECK (b > 1) FOREIGN KEY (a) REFERENCES o"),
    fc.constantFrom("", ", c AS (a || b)", ", c int GENERATED ALWAYS AS (a) STORED"),
    fc.constantFrom("", " STRICT", " WITHOUT ROWID"),
  )
  .map(([[a, key], b, rules, generated, options]) => {
    return `CREATE TABLE t (a${a}${key}, [b]${b}${generated}${rules})${options}`;
  });

describe("a table of SQLite, read from its statement", () => {
  it("is as SQLite itself describes it", () => {
    let accepted = 0;
    fc.assert(
      fc.property(table, (sql) => {
        const expected = described(sql);
        if (expected === undefined) return;
        accepted += 1;
        expect(read(sql)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it("keeps how types, defaults and expressions are written, without comments", () => {
    const { columns, constraints } = syntax.table(`CREATE TABLE t (
      a VARCHAR( 10 ) /* a name */ DEFAULT 'it''s' COLLATE "NOCASE",
      b int DEFAULT (1 + /* two */ 2) CONSTRAINT c CHECK ("b" > 'x' -- why
        and "a b" is not null),
      d DEFAULT -1, e DEFAULT "text", f DEFAULT current_time, g AS (a || b) VIRTUAL,
      PRIMARY KEY (a COLLATE nocase DESC, 'b') ON CONFLICT REPLACE
    )`);
    expect(columns).toEqual([
      { name: "a", type: "VARCHAR(10)", default: "'it''s'", collation: "NOCASE" },
      { name: "b", type: "int", default: "(1 + 2)" },
      { name: "d", type: "", default: "-1" },
      { name: "e", type: "", default: "'text'" },
      { name: "f", type: "", default: "CURRENT_TIME" },
      { name: "g", type: "", generated: { expression: "a || b", storage: "virtual" } },
    ]);
    expect(constraints).toEqual([
      { kind: "check", expression: `b > 'x' AND "a b" IS NOT NULL`, statedAt: "b", name: "c" },
      {
        kind: "primary",
        columns: [
          { column: "a", expression: "a", collation: "nocase", isDescending: true },
          { column: "b", expression: "'b'", isDescending: false },
        ],
        isAutoincrement: false,
        conflict: "replace",
      },
    ]);
  });

  it("has a deferred foreign key only where SQLite defers it", () => {
    const deferrable = (clause: string): unknown[] =>
      syntax
        .table(`CREATE TABLE t (a REFERENCES o CHECK (a) ${clause}, b UNIQUE)`)
        .constraints.flatMap((each) => (each.kind === "foreign" ? [each.deferrable] : []));
    expect(deferrable("DEFERRABLE INITIALLY DEFERRED")).toEqual(["deferred"]);
    expect(deferrable("DEFERRABLE INITIALLY IMMEDIATE")).toEqual([undefined]);
    expect(deferrable("NOT DEFERRABLE")).toEqual([undefined]);
  });

  it("that the parser cannot read is refused with its statement", () => {
    expect(() => syntax.table("CREATE TABLE t (a, )")).toThrow(/near .*CREATE TABLE t \(a, \)/s);
    expect(() => syntax.index("CREATE TABLE t (a)")).toThrow("it is no index");
  });
});

describe("an index of SQLite, read from its statement", () => {
  it("has columns, expressions, collations, orders and a condition", () => {
    const sql = `CREATE UNIQUE INDEX i ON t (a, "b c" COLLATE nocase DESC, lower(a) ASC, (1)) WHERE a IN (1, 2)`;
    expect(syntax.index(sql)).toEqual({
      isUnique: true,
      parts: [
        { column: "a", expression: "a", isDescending: false },
        { column: "b c", expression: '"b c"', collation: "nocase", isDescending: true },
        { expression: "lower(a)", isDescending: false },
        { expression: "(1)", isDescending: false },
      ],
      where: "a IN (1, 2)",
    });
  });
});

describe("SQLite's grammar of views, triggers and virtual tables", () => {
  it.each([
    ["CREATE VIEW v AS SELECT a -- one\n FROM t", { definition: "SELECT a FROM t" }],
    [
      'create view if not exists main.v ("a", b) as values (1, 2)',
      { columnNames: "a, b", definition: "VALUES (1, 2)" },
    ],
  ])("reads %j", (sql, expected) => {
    expect(syntax.view(sql)).toEqual(expected);
  });

  it.each([
    [
      "CREATE TRIGGER r INSERT ON t BEGIN SELECT 1; END",
      { timing: "before", event: "INSERT", body: "BEGIN SELECT 1; END" },
    ],
    [
      'CREATE TRIGGER r INSTEAD OF UPDATE OF "a", b ON v FOR EACH ROW WHEN (new.a > 1) BEGIN SELECT 1; END',
      {
        timing: "instead of",
        event: "UPDATE OF a, b",
        when: "(new.a > 1)",
        body: "BEGIN SELECT 1; END",
      },
    ],
    [
      "CREATE TRIGGER r AFTER DELETE ON t WHEN EXISTS (SELECT 1 AS begun) BEGIN SELECT 2; END",
      {
        timing: "after",
        event: "DELETE",
        when: "EXISTS (SELECT 1 AS begun)",
        body: "BEGIN SELECT 2; END",
      },
    ],
  ])("reads %j", (sql, expected) => {
    expect(syntax.trigger(sql)).toEqual(expected);
  });

  it("reads a module with its arguments, and refuses statements of another kind", () => {
    const virtual = "CREATE VIRTUAL TABLE f USING fts5 (a, b)";
    expect(syntax.virtualTable(virtual).definition).toMatch(/^fts5 ?\(a, b\)$/);
    expect(() => syntax.view(virtual)).toThrow("it is no view");
  });
});
