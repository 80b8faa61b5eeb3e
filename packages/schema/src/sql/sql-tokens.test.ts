import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Token, type TokenDialect, templateTokens, tokensOf } from "./sql-tokens.js";

const DIALECTS: readonly TokenDialect[] = ["sqlite", "postgres"];

/** The tokens without blanks, as `type text`; a question mark marks an unclosed one. */
function read(sql: string, dialect: TokenDialect): readonly string[] {
  return tokensOf(sql, dialect).map(
    ({ type, text, isClosed }) => `${type}${isClosed ? "" : "?"} ${text}`,
  );
}

/** All tokens of a template with placeholders in double braces. */
function tokenize(text: string, dialect: TokenDialect): readonly Token[] {
  const markupEnd = (_: string, at: number): number | undefined => {
    const end = text.indexOf("}}", at);
    return end < 0 ? undefined : end + 2;
  };
  return templateTokens(text, { dialect, markupStart: "{{", markupEnd });
}

describe("the tokens of SQL", () => {
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
        expect(tokens.slice(0, -1).every((token) => token.isClosed)).toBe(true);
        for (const { text, start } of [...tokens, ...tokensOf(sql, dialect)]) {
          expect(sql.startsWith(text, start)).toBe(true);
        }
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
            "sign ;",
          ]);
        },
      ),
    );
  });

  it("knows the quoted names of each dialect", () => {
    const names = '"a""b" `c``d` [e';
    expect(read(`${names}]`, "sqlite")).toEqual(['name "a""b"', "name `c``d`", "name [e]"]);
    expect(read('"a""b" x[1]', "postgres")).toEqual([
      'name "a""b"',
      "word x",
      "sign [",
      "number 1",
      "sign ]",
    ]);
  });

  it("nests comments on PostgreSQL only", () => {
    const sql = "1 /* a /* b */ c */ 2";
    expect(read(sql, "postgres")).toEqual(["number 1", "comment /* a /* b */ c */", "number 2"]);
    expect(read(sql, "sqlite").slice(0, 3)).toEqual(["number 1", "comment /* a /* b */", "word c"]);
  });

  it("ends a line comment where the engine does", () => {
    expect(read("-- a\r'", "sqlite")).toEqual(["comment -- a\r'"]);
    expect(read("-- a\r'", "postgres")).toEqual(["comment -- a", "string? '"]);
    expect(read("1--2\n3", "sqlite")).toEqual(["number 1", "comment --2", "number 3"]);
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
    const kinds = tokenize("a::int b ? 'c' d[1:n] @e $1", "postgres").map(({ type }) => type);
    expect(kinds.filter((kind) => kind === "parameter")).toEqual(["parameter"]);
  });

  it("reads numbers and operators as one token each", () => {
    expect(read("1.5e-3 .5 0xFF 1_000 a->>'b' >= c || d", "sqlite")).toEqual([
      ..."number 1.5e-3|number .5|number 0xFF|number 1_000|word a|sign ->>|string 'b'".split("|"),
      ...["sign >=", "word c", "sign ||", "word d"],
    ]);
    expect(read("a::int := 1", "postgres")).toEqual([
      ...["word a", "sign ::", "word int", "sign :=", "number 1"],
    ]);
  });

  it("reads a name before a text as a name where the dialect has no such literal", () => {
    expect(read("SELECT b'total', x'00'", "sqlite")).toEqual([
      ...["word SELECT", "word b", "string 'total'", "sign ,", "opaque_string x'00'"],
    ]);
    expect(read("b'01' u&'\\0041' U&\"d\"", "postgres")).toEqual([
      ...["opaque_string b'01'", "opaque_string u&'\\0041'", "word U", "sign &", 'name "d"'],
    ]);
  });

  it("tells the name in quotes", () => {
    const names = tokensOf('"a""b" `c``d` [e]', "sqlite").map(({ value }) => value);
    expect(names).toEqual(['a"b', "c`d", "e"]);
  });

  it("takes a caller's markup in code for one token", () => {
    const tokens = tokenize("({{a 'b}}'{{c}}'", "sqlite");
    expect(tokens.map(({ type, text }) => `${type} ${text}`)).toEqual([
      ...["sign (", "markup {{a 'b}}", "string '{{c}}'"],
    ]);
    expect(tokenize("{{a", "postgres")[0]).toMatchObject({ type: "markup", isClosed: false });
  });

  // Backtracking fails by the time limit of the test.
  it("cuts 64 KiB of anything", () => {
    for (const piece of ["'", "''", "(", "{{", '{{"', "$", "$$", "/*", "--\n", "E'", "'\n", "\\"]) {
      const sql = piece.repeat(Math.ceil(65_536 / piece.length));
      for (const dialect of DIALECTS) {
        const cut = tokenize(sql, dialect).map(({ text }) => text);
        expect(cut.join("") === sql, `${piece} on ${dialect}`).toBe(true);
      }
    }
  });
});
