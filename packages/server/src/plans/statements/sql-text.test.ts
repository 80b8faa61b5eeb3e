import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../governance/index.js";
import { tokenize } from "./sql-text.js";

const DIALECTS: readonly Dialect[] = ["sqlite", "postgres"];

/** The tokens without blanks, as `kind text`; a question mark marks an unclosed one. */
function read(sql: string, dialect: Dialect): readonly string[] {
  return tokenize(sql, dialect)
    .filter(({ kind }) => kind !== "blank")
    .map(({ kind, text, closed }) => `${kind}${closed ? "" : "?"} ${text}`);
}

describe("SQL text", () => {
  it("is cut without losing a character, and only its last token can be unclosed", () => {
    const piece = fc.constantFrom(
      ..."' '' \" \"\" ` [ ] -- /* */ {{ }} {{step.a.output}} $ $$ $a$ $1 ? ?1 :a :: @x # \\ E' e' x' U&' N' \n \r\n ; ( ) in É 12.5e3 {{\"".split(
        " ",
      ),
      " ",
      "\t",
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...DIALECTS), (sql, dialect) => {
        const tokens = tokenize(sql, dialect);
        expect(tokens.map((token) => token.text).join("")).toBe(sql);
        expect(tokens.every((token) => token.text !== "")).toBe(true);
        expect(tokens.slice(0, -1).every((token) => token.closed)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("takes a literal for one token, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom(...DIALECTS),
        (held, dialect) => {
          const literal = `'${held.replaceAll("'", "''")}'`;
          expect(read(`SELECT ${literal};`, dialect)).toEqual([
            "word SELECT",
            `string ${literal}`,
            "symbol ;",
          ]);
        },
      ),
    );
  });

  it("knows the quoted names of each dialect", () => {
    const names = '"a""b" `c``d` [e';
    expect(read(`${names}]`, "sqlite")).toEqual([
      'identifier "a""b"',
      "identifier `c``d`",
      "identifier [e]",
    ]);
    expect(read('"a""b" x[1]', "postgres")).toEqual([
      'identifier "a""b"',
      "word x",
      "symbol [",
      "word 1",
      "symbol ]",
    ]);
  });

  it("nests comments on PostgreSQL only", () => {
    const sql = "1 /* a /* b */ c */ 2";
    expect(read(sql, "postgres")).toEqual(["word 1", "comment /* a /* b */ c */", "word 2"]);
    expect(read(sql, "sqlite").slice(0, 3)).toEqual(["word 1", "comment /* a /* b */", "word c"]);
  });

  it("ends a line comment where the engine does", () => {
    expect(read("-- a\r'", "sqlite")).toEqual(["comment -- a\r'"]);
    expect(read("-- a\r'", "postgres")).toEqual(["comment -- a", "string? '"]);
    expect(read("1--2\n3", "sqlite")).toEqual(["word 1", "comment --2", "word 3"]);
  });

  it("lets a backslash escape in PostgreSQL's E'…' only", () => {
    expect(read("E'a\\'b' 'c\\'", "postgres")).toEqual(["escape_string E'a\\'b'", "string 'c\\'"]);
    expect(read("E'a\\'", "sqlite")).toEqual(["word E", "string 'a\\'"]);
    expect(read("nameE'a\\'", "postgres")).toEqual(["word nameE", "string 'a\\'"]);
  });

  it("continues a literal of PostgreSQL behind a line's end, in its own kind", () => {
    expect(read("'a' -- b\n  'c'", "postgres")).toEqual(["opaque_string 'a' -- b\n  'c'"]);
    expect(read("E'a'\n'b\\'c'", "postgres")).toEqual(["opaque_string E'a'\n'b\\'c'"]);
    expect(read("'a' 'b'", "postgres")).toEqual(["string 'a'", "string 'b'"]);
    expect(read("'a'\n'b'", "sqlite")).toEqual(["string 'a'", "string 'b'"]);
  });

  it("finds the end of a dollar-quoted text by its tag", () => {
    expect(read("$$a$b$c$$ $t$ $$ $t$ a$$b", "postgres")).toEqual([
      "dollar_string $$a$b$c$$",
      "dollar_string $t$ $$ $t$",
      "word a$$b",
    ]);
    expect(read("$t$ $", "postgres")).toEqual(["dollar_string? $t$ $"]);
  });

  it("tells bind parameters from casts, slices and operators", () => {
    expect(read("? ?2 :a @b $c #1", "sqlite")).toEqual(
      "? ?2 :a @b $c #1".split(" ").map((text) => `parameter ${text}`),
    );
    const kinds = tokenize("a::int b ? 'c' d[1:n] @e $1", "postgres").map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "parameter")).toEqual(["parameter"]);
  });

  it("takes braces in code for one token, quoted names in them and all", () => {
    expect(read('({{step.a.output["}}\'"]}})', "sqlite")).toEqual([
      "symbol (",
      'markup {{step.a.output["}}\'"]}}',
      "symbol )",
    ]);
    expect(read("{{step.a", "postgres")).toEqual(["markup? {{step.a"]);
  });

  it("cuts 64 KiB of anything in a blink", () => {
    for (const piece of ["'", "''", "(", "{{", '{{"', "$", "$$", "/*", "--\n", "E'", "'\n", "\\"]) {
      const sql = piece.repeat(Math.ceil(65_536 / piece.length));
      for (const dialect of DIALECTS) {
        const startedMs = performance.now();
        tokenize(sql, dialect);
        expect(performance.now() - startedMs, `${piece} on ${dialect}`).toBeLessThan(2000);
      }
    }
  });
});
