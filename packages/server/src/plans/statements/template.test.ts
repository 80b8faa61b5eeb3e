import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../governance/index.js";
import { tokenize } from "./sql-text.js";
import { compileTemplate } from "./template.js";

const sqlite = (template: string): string => compileTemplate(template, "sqlite").sql;
/** The SQLite expressions for a scalar and for a list in IN. */
const value = (number: number): string =>
  `CASE typeof(?${number}) WHEN 'blob' THEN ?${number} ELSE ?${number} ->> '$' END`;
const members = (number: number): string =>
  `SELECT CASE type WHEN 'object' THEN unhex(value ->> 'blob') ELSE value END FROM json_each(?${number})`;
const postgres = (template: string): string => compileTemplate(template, "postgres").sql;

/** The message of the `BAD_PLACEHOLDER` error for a template. */
function refusal(template: string, dialect: Dialect): string {
  try {
    compileTemplate(template, dialect);
  } catch (error) {
    expect(error).toMatchObject({ code: "BAD_PLACEHOLDER" });
    return String(error);
  }
  return "accepted";
}

describe("a template", () => {
  it("without placeholders is left as it is", () => {
    const text = `SELECT '{{name}} {1}', "a", x -- {{y}}\n FROM t /* ? :a */;`;
    expect(compileTemplate(text, "sqlite")).toEqual({ sql: text, binds: [] });
    const more = "SELECT '{{1,2},{3,4}}'::int[], a ? 'b', $$ {{x}} ? $1 $$";
    expect(compileTemplate(more, "postgres")).toEqual({ sql: more, binds: [] });
  });

  it("binds a scalar, at any depth and with blanks around", () => {
    const template = `SELECT {{ step.a-1.output [0] .name }}, {{step.b.output[12].x["it's"][*]}}`;
    expect(compileTemplate(template, "sqlite")).toEqual({
      sql: `SELECT ${value(1)}, ?2`,
      binds: [
        {
          stepId: "a-1",
          path: [
            { kind: "index", index: 0 },
            { kind: "member", name: "name" },
          ],
          form: "value",
        },
        {
          stepId: "b",
          path: [
            { kind: "index", index: 12 },
            { kind: "member", name: "x" },
            { kind: "member", name: "it's" },
            { kind: "each" },
          ],
          form: "list",
        },
      ],
    });
  });

  it("binds a whole output, or a row of it, as JSON", () => {
    expect(sqlite("SELECT * FROM json_each({{step.a.output}})")).toBe(
      "SELECT * FROM json_each(?1)",
    );
    expect(postgres("SELECT * FROM jsonb_to_recordset({{step.a.output}}) AS r(id int)")).toBe(
      "SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(id int)",
    );
    expect(postgres("SELECT {{step.a.output[0]}}")).toBe("SELECT $1::jsonb");
  });

  it("makes a list usable in IN on both engines", () => {
    const template =
      "DELETE FROM t WHERE id IN ({{step.a.output[*].id}}) OR k not in ( /* c */ {{step.a.output[*].k}} )";
    expect(sqlite(template)).toBe(
      `DELETE FROM t WHERE id IN (${members(1)}) OR k not in ( /* c */ ${members(2)} )`,
    );
    expect(postgres(template)).toBe("DELETE FROM t WHERE id = ANY ($1) OR k <> ALL ( /* c */ $2 )");
    expect(compileTemplate(template, "postgres").binds.map(({ form }) => form)).toEqual([
      "array",
      "array",
    ]);
    expect(postgres("SELECT 1 WHERE id = ANY({{step.a.output[*].id}})")).toBe(
      "SELECT 1 WHERE id = ANY($1)",
    );
  });

  it("binds a list elsewhere as a JSON array", () => {
    expect(sqlite("SELECT value FROM json_each({{step.a.output[*].id}})")).toBe(
      "SELECT value FROM json_each(?1)",
    );
    expect(postgres("SELECT jsonb_array_length({{step.a.output[*].id}})")).toBe(
      "SELECT jsonb_array_length($1::jsonb)",
    );
    expect(
      sqlite("SELECT 1 WHERE x IN (SELECT value FROM json_each({{step.a.output[*].id}}))"),
    ).toBe("SELECT 1 WHERE x IN (SELECT value FROM json_each(?1))");
  });

  it("refuses what would silently match nothing in IN", () => {
    expect(refusal("SELECT x IN ({{step.a.output[*].id}}, 5)", "sqlite")).toContain("stand alone");
    expect(refusal("SELECT x IN (5, {{step.a.output[*].id}})", "postgres")).toContain(
      "stand alone",
    );
    expect(refusal("SELECT x IN ({{step.a.output}})", "sqlite")).toContain("name a column");
    expect(refusal("SELECT x IN ({{step.a.output[*]}})", "sqlite")).toContain("name a column");
    expect(refusal("SELECT x IN ('{{step.a.output[*].id}}')", "sqlite")).toContain(
      "without quotes",
    );
    expect(sqlite("SELECT x IN ('{{step.a.output[0].id}}', 'b')")).toBe(
      "SELECT x IN ((?1 ->> '$'), 'b')",
    );
    expect(sqlite("SELECT x IN ({{step.a.output[0].id}}, {{step.a.output[1].id}})")).toBe(
      `SELECT x IN (${value(1)}, ${value(2)})`,
    );
  });

  it("concatenates inside a string literal", () => {
    expect(sqlite("SELECT 'It''s {{step.a.output[0].name}}!{{step.b.output[0].x}}'")).toBe(
      "SELECT ('It''s ' || (?1 ->> '$') || '!' || (?2 ->> '$'))",
    );
    expect(postgres("SELECT 'It''s {{step.a.output[0].name}}!'")).toBe(
      "SELECT ('It''s ' || $1::text || '!')",
    );
    expect(postgres("SELECT E'\\'\\n{{step.a.output[0].name}}\\\\'")).toBe(
      "SELECT (E'\\'\\n' || $1::text || E'\\\\')",
    );
  });

  it("concatenates inside a dollar-quoted text on PostgreSQL, where nothing is escaped", () => {
    expect(postgres("SELECT $q$It's \\n {{step.a.output[0].name}}$q {{step.b.output}}$q$")).toBe(
      "SELECT ('It''s \\n ' || $1::text || '$q ' || $2::text)",
    );
    expect(postgres("SELECT $$${{step.a.output[0].n}}$ $$")).toBe(
      "SELECT ('$' || $1::text || '$ ')",
    );
    expect(
      postgres(
        "SELECT $${{step.a.output[0].at}}$$::date, interval $i${{step.a.output[0].n}} days$i$",
      ),
    ).toBe("SELECT $1::date,  ($2::text || ' days')::interval");
    const { binds } = compileTemplate(`SELECT $$a {{step.a.output[0]["it''s"]}}$$`, "postgres");
    expect(binds[0]?.path[1]).toEqual({ kind: "member", name: "it''s" });
  });

  it("replaces a literal that is nothing but a placeholder", () => {
    expect(sqlite("SELECT json_each('{{step.a.output}}')")).toBe("SELECT json_each(?1)");
    expect(postgres("SELECT '{{step.a.output[0].at}}'::date")).toBe("SELECT $1::date");
  });

  it("reads a quoted name inside a literal, where quotes are doubled", () => {
    const { binds } = compileTemplate(`SELECT 'a {{step.a.output[0]["it''s"]}}'`, "sqlite");
    expect(binds[0]?.path).toEqual([
      { kind: "index", index: 0 },
      { kind: "member", name: "it's" },
    ]);
  });

  it("turns a literal with its type before it into a cast on PostgreSQL", () => {
    expect(postgres("SELECT now() - interval '{{step.a.output[0].n}} days'")).toBe(
      "SELECT now() -  ($1::text || ' days')::interval",
    );
    expect(postgres("SELECT t AT TIME ZONE '{{step.a.output[0].tz}}'")).toBe(
      "SELECT t AT TIME ZONE $1",
    );
  });

  it("tells apart an output that may have been cut from one that may not", () => {
    const { sql, binds } = compileTemplate(
      "SELECT {{step.a.output}}, {{step.a.output_cut}}, {{ step.a.output_cut [0].n }}",
      "sqlite",
    );
    expect(sql).toBe(`SELECT ?1, ?2, ${value(3)}`);
    expect(binds.map(({ mayBeCut }) => mayBeCut)).toEqual([undefined, true, true]);
  });

  it("uses a parameter twice only where its type cannot differ", () => {
    const twice = "SELECT {{step.a.output[0].n}}, {{ step.a.output[0].n }}, {{step.a.output}}";
    expect(sqlite(`${twice}, {{step.a.output}}`)).toBe(`SELECT ${value(1)}, ${value(1)}, ?2, ?2`);
    expect(postgres(`${twice}, {{step.a.output}}`)).toBe("SELECT $1, $2, $3::jsonb, $3::jsonb");
  });

  it("keeps a parameter apart from the names and numbers next to it", () => {
    expect(sqlite("SELECT 1 LIMIT{{step.a.output[0].n}}0")).toBe(`SELECT 1 LIMIT ${value(1)} 0`);
    expect(sqlite("SELECT :{{step.a.output[0].n}}")).toBe(`SELECT : ${value(1)}`);
    expect(postgres("SELECT a LIKE'{{step.a.output[0].n}}'")).toBe("SELECT a LIKE $1");
  });

  it("leaves a cast of another database to SQLite's parser, which refuses it", () => {
    expect(sqlite("SELECT fee::numeric FROM t")).toBe("SELECT fee::numeric FROM t");
    const db = new DatabaseSync(":memory:");
    expect(() => db.prepare("SELECT 1 ::x")).toThrow("unrecognized token");
    expect(() => db.prepare("SELECT 1 ::1")).toThrow("unrecognized token");
    db.close();
  });

  it("has only its own parameters, whatever it is made of", () => {
    const piece = fc.constantFrom(
      ..."SELECT|x|1|$|'|''|\"|`|[|]|(|)|,|IN (|NOT IN (|ANY(|interval|--|/*|*/|\n|E'|$$|?|:|@|#|{{|}}|{{x}}|{{step.a.output}}|{{step.a.output[0].x}}|{{step.b.output[*].y}}|{{step.".split(
        "|",
      ),
      " ",
    );
    const template = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(template, fc.constantFrom<Dialect>("sqlite", "postgres"), (text, dialect) => {
        const compiled = acceptedOrUndefined(text, dialect);
        if (compiled === undefined) return;
        const parameters = tokenize(compiled.sql, dialect)
          // SQLite refuses whatever follows two colons.
          .filter(({ type }, at, all) => type === "parameter" && all[at - 1]?.text !== ":")
          .map((token) => Number(token.text.slice(1)));
        expect([...new Set(parameters)]).toEqual(compiled.binds.map((_, index) => index + 1));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ["SELECT 1 -- {{step.a.output}}", "stands in a comment"],
    ["SELECT 1 /* {{ step.a.output }} */", "stands in a comment"],
    ['SELECT "{{step.a.output[0].x}}"', "stands in a quoted name"],
    ["SELECT X'{{step.a.output[0].x}}'", "write it as a plain '…' literal"],
    ["SELECT 'never closed {{step.a.output[0].x}}", "never closed"],
    ["SELECT {{step.a.output", 'expected [0], [*], .name, ["name"] or }} at its end'],
    ["SELECT 'a {{step.a.output'", "expected"],
    ["SELECT 'a {{step.a b}}'", "expected {{step.<step_id>.output…}}"],
    ["SELECT {{step.a.outputs}}", "expected"],
    ["SELECT {{step.a.output_cuts}}", "expected"],
    ["SELECT {{step.a.output[-1]}}", "expected"],
    ["SELECT {{step.a.output[*].b[*]}}", "no second [*]"],
    ["SELECT {{step.a.output.}}", "expected"],
    ['SELECT {{step.a.output["a]}}', "expected"],
    ['SELECT {{step.a.output["\\q"]}}', "expected"],
    ["SELECT {{name}}", "expected {{step.<step_id>.output…}}"],
    ["SELECT {{", "expected"],
  ])("is refused on both engines: %s", (template, reason) => {
    expect(refusal(template, "sqlite")).toContain(reason);
    expect(refusal(template, "postgres")).toContain(reason);
  });

  it.each([
    ["sqlite", "SELECT ?", "is a bind parameter"],
    ["sqlite", "SELECT :name", "is a bind parameter"],
    ["sqlite", "SELECT [{{step.a.output}}]", "stands in a quoted name"],
    ["postgres", "SELECT $1", "is a bind parameter"],
    ["postgres", "SELECT $x$ {{step.a.output}}", "never closed"],
    ["postgres", "SELECT $x$ {{step.a}} $x$", "expected {{step.<step_id>.output…}}"],
    ["postgres", "SELECT 'a'\n'b {{step.a.output}}'", "write it as a plain '…' literal"],
    ["postgres", "SELECT E'{{step.a.output[0][\"\\n\"]}}'", "backslash"],
    ["postgres", "SELECT /* /* */ {{step.a.output}} */ 1", "stands in a comment"],
  ] as const)("is refused on %s: %s", (dialect, template, reason) => {
    expect(refusal(template, dialect)).toContain(reason);
  });

  it("repeats only the beginning of a long mistake", () => {
    const message = refusal(`SELECT {{${"x".repeat(60_000)}}}`, "sqlite");
    expect(message.length).toBeLessThan(250);
  });
});

function acceptedOrUndefined(
  template: string,
  dialect: Dialect,
): ReturnType<typeof compileTemplate> | undefined {
  try {
    return compileTemplate(template, dialect);
  } catch (error) {
    expect(error).toMatchObject({ code: "BAD_PLACEHOLDER" });
    return undefined;
  }
}

describe("a placeholder that would have no effect is refused", () => {
  const column = "{{step.a.output[0].c}}";
  it.each([
    ["ORDER BY", `SELECT x FROM t ORDER BY ${column} DESC NULLS LAST LIMIT 3`],
    ["ORDER BY", `SELECT x FROM t ORDER BY x, (lower(${column} || 'a')), y`],
    ["ORDER BY", `SELECT x FROM t WHERE y IN (SELECT y FROM u ORDER BY '${column}')`],
    ["ORDER BY", `SELECT row_number() OVER (PARTITION BY x ORDER BY ${column}) FROM t`],
    ["ORDER BY", `SELECT group_concat(x, ',' ORDER BY ${column}) FROM t`],
    ["GROUP BY", `SELECT count(*) FROM t GROUP BY ${column} HAVING count(*) > 1`],
    ["PARTITION BY", `SELECT sum(x) OVER (PARTITION BY ${column}) FROM t`],
  ])("in %s: %s", (clause, template) => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      expect(refusal(template, dialect)).toContain(`${column} has no effect in ${clause}`);
    }
  });

  it.each([
    ["DISTINCT ON", `SELECT DISTINCT ON (x, ${column}) y FROM t`],
    ["ROLLUP", `SELECT x, sum(y) FROM t GROUP BY ROLLUP (x, ${column})`],
    ["ROLLUP", `SELECT x, sum(y) FROM t GROUP BY z, ROLLUP ((x, ${column}), z)`],
    ["CUBE", `SELECT x, sum(y) FROM t GROUP BY CUBE (lower(${column}), x)`],
    ["GROUPING SETS", `SELECT x FROM t GROUP BY GROUPING SETS ((x, ${column}), ())`],
    ["ROLLUP", `SELECT x FROM t GROUP BY GROUPING SETS ((x), ROLLUP (x, ${column}))`],
  ])("in %s of PostgreSQL: %s", (clause, template) => {
    expect(refusal(template, "postgres")).toContain(`${column} has no effect in ${clause}`);
  });

  it.each([
    `SELECT DISTINCT ON (x % ${column}, (y)) y FROM t JOIN u ON (u.id = ${column})`,
    `SELECT x FROM t GROUP BY ROLLUP (x, (y, z % ${column})), CUBE (f(x, ${column}), ((y) || ${column}))`,
    `SELECT x FROM t GROUP BY GROUPING SETS ((x, y + ${column}), (z), ()) HAVING x > ${column}`,
    `SELECT x FROM t ORDER BY CASE ${column} WHEN 'x' THEN x ELSE y END, x`,
    `SELECT x FROM t ORDER BY abs(x - ${column}), count(*) * ${column}, random() * ${column}`,
    `SELECT x FROM t GROUP BY x, y % ${column} ORDER BY x LIMIT ${column} OFFSET ${column}`,
    `SELECT sum(x) OVER (ORDER BY x ROWS ${column} PRECEDING), ${column} FROM t`,
    `SELECT x FROM t ORDER BY (SELECT y FROM u WHERE z = ${column})`,
  ])("but not where it chooses or computes: %s", (template) => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      expect(refusal(template, dialect)).toBe("accepted");
    }
  });

  it("as IN without parentheses, with what to write", () => {
    const list = "{{step.a.output[*].c}}";
    for (const dialect of ["sqlite", "postgres"] as const) {
      expect(refusal(`SELECT x FROM t WHERE x IN ${list}`, dialect)).toContain(
        `write IN (${list})`,
      );
    }
  });

  it("as a whole condition on SQLite, where a text is false", () => {
    expect(refusal(`DELETE FROM t WHERE ${column}`, "sqlite")).toContain("write a comparison");
    expect(refusal(`SELECT x FROM t WHERE ${column} = x`, "sqlite")).toBe("accepted");
  });
});
