import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "@photostructure/sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toSqliteBinds } from "../../adapters/sql-target-sqlite/child/binds.js";
import { bindOutputs } from "./bind-outputs.js";
import { compileTemplate } from "./template.js";

/**
 * A step's output can only ever be a value. The test shows this on SQLite itself: a bound value
 * comes back exactly, and a table that every output tries to drop still exists.
 */
describe("a compiled template on SQLite", () => {
  let database: DatabaseSyncInstance;

  beforeAll(() => {
    database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE victim (x); INSERT INTO victim VALUES (1)");
  });
  afterAll(() => {
    expect(database.prepare("SELECT count(*) AS n FROM victim").get()).toMatchObject({ n: 1 });
    database.close();
  });

  /** The values of the first column when step `a` has these rows. */
  const run = (template: string, rows: readonly unknown[]): readonly unknown[] => {
    const statement = compileTemplate(template, "sqlite");
    const outputs = new Map([["a", { json: JSON.stringify(rows) }]]);
    return database
      .prepare(statement.sql)
      .all(...toSqliteBinds(bindOutputs(statement, outputs, "sqlite")))
      .map((row: object) => Object.values(row)[0] as unknown);
  };

  const hostile = fc.constantFrom(
    "'; DROP TABLE victim; --",
    "' || (SELECT x FROM victim) || '",
    '"; DELETE FROM victim; --',
    "*/ DROP TABLE victim /*",
    "{{step.a.output}}",
    "?1",
    "\\'",
    "1); DROP TABLE victim; --",
    "NULL",
  );
  const text = fc
    .oneof(
      hostile,
      fc.string({ unit: "grapheme" }),
      fc.array(hostile).map((all) => all.join("")),
    )
    .filter((value) => !value.includes("\0"));
  const fraction = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
  const number = fc.oneof(fc.maxSafeInteger(), fraction);
  const scalar = fc.oneof(text, number, fc.constant(null));
  const name = text.filter((value) => value !== "__proto__");

  it("returns a scalar exactly", () => {
    fc.assert(
      fc.property(scalar, (value) => {
        expect(run("SELECT {{step.a.output[0].x}}", [{ x: value }])).toEqual([value]);
      }),
    );
  });

  it("returns exactly the text of a value inside a literal", () => {
    fc.assert(
      fc.property(text, text, text, (before, value, behind) => {
        const literal = (part: string): string =>
          part.replaceAll("'", "''").replaceAll("{{step", "{{");
        const undoubled = (part: string): string => part.replaceAll("{{step", "{{");
        const template = `SELECT '${literal(before)}{{step.a.output[0].x}}${literal(behind)}'`;
        expect(run(template, [{ x: value }])).toEqual([
          `${undoubled(before)}${value}${undoubled(behind)}`,
        ]);
      }),
    );
  });

  it("finds a value under any name", () => {
    fc.assert(
      fc.property(name, scalar, (key, value) => {
        const quoted = JSON.stringify(key);
        expect(run(`SELECT {{step.a.output[0][${quoted}]}}`, [{ [key]: value }])).toEqual([value]);
      }),
    );
  });

  it("returns a list exactly, in order", () => {
    fc.assert(
      fc.property(fc.array(scalar), (values) => {
        const rows = values.map((x) => ({ x }));
        expect(run("SELECT value FROM json_each({{step.a.output[*].x}})", rows)).toEqual(values);
      }),
    );
  });

  it("matches in IN exactly the values of a list", () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1 }), fc.nat(), (values, pick) => {
        const rows = values.map((x) => ({ x }));
        const some = pick % values.length;
        const candidates = `(SELECT value AS v FROM json_each({{step.a.output[*].x}}) WHERE key <> ${String(some)})`;
        const template = `SELECT v FROM ${candidates} WHERE v IN ({{step.a.output[*].x}})`;
        expect(run(template, rows)).toEqual(values.filter((_, index) => index !== some));
        expect(run(template.replace(" IN ", " NOT IN "), rows)).toEqual([]);
      }),
    );
  });

  it("compares a list's numbers with numbers, and large ones that travel as text, too", () => {
    database.exec("CREATE TABLE n (id INTEGER PRIMARY KEY)");
    database.exec("INSERT INTO n VALUES (1), (2), (9007199254740993)");
    const select = "SELECT CAST(id AS TEXT) FROM n WHERE id IN ({{step.a.output[*].id}})";
    expect(run(select, [{ id: 2 }, { id: "9007199254740993" }, { id: 7 }])).toEqual([
      "2",
      "9007199254740993",
    ]);
    const one = "SELECT CAST(id AS TEXT) FROM n WHERE id = {{step.a.output[0].id}}";
    expect(run(one, [{ id: "9007199254740993" }])).toEqual(["9007199254740993"]);
  });

  it("returns a whole output exactly", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, scalar)), (rows) => {
        expect(run("SELECT {{step.a.output}}", rows)).toEqual([JSON.stringify(rows)]);
        expect(run("SELECT json_array_length({{step.a.output}})", rows)).toEqual([rows.length]);
      }),
    );
  });

  it("has as many parameters for the engine as for the compiler", () => {
    const piece = fc.constantFrom(
      ..."SELECT 1,|SELECT |'|''|'a'|\"|`|[|]|--|/*|*/|\n|,|1|x'|(|)|{{step.a.output}}|'{{step.a.output}}'|'p{{step.a.output}}q'".split(
        "|",
      ),
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `SELECT {{step.b.output}}, ${pieces.join("")}`;
        const parameters = parametersOfAccepted(database, text);
        if (parameters === undefined) return;
        accepted += 1;
        expect(parameters.engine).toBe(parameters.compiler);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

/** Parameters of a template that both compiler and engine accept; `undefined` when one does not. */
function parametersOfAccepted(
  database: DatabaseSyncInstance,
  template: string,
): { readonly compiler: number; readonly engine: number } | undefined {
  try {
    const { sql, binds } = compileTemplate(template, "sqlite");
    const statement = database.prepare(sql);
    let engine = 0;
    while (takes(statement, engine + 1)) engine += 1;
    return { compiler: binds.length, engine };
  } catch {
    return undefined;
  }
}

function takes(statement: StatementSyncInstance, parameters: number): boolean {
  try {
    statement.all(...Array<number>(parameters).fill(1));
    return true;
  } catch (error) {
    // Any other error is a runtime error, with every parameter bound.
    return !String(error).includes("out of range");
  }
}
