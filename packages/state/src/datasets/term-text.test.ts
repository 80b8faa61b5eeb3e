import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { termText } from "../terms/n-quads.js";
import { parseTerm, parseTermOrVariable } from "./term-text.js";
import { anyObject } from "../testing/quads.js";

describe("a term as text", () => {
  it("is read back as the term that was written", () => {
    fc.assert(
      fc.property(anyObject, (term) => {
        expect(parseTerm(termText(term), "object")).toEqual(term);
        expect(parseTermOrVariable(termText(term), "object")).toEqual(term);
      }),
    );
  });

  it.each([
    ["urn:a", "column 1: a term must stand here"],
    ["<a:b", "column 1: the IRI does not end"],
    ["<a>", "column 1: the IRI is relative"],
    ['"a" "b"', "column 5: nothing may follow the term"],
    ['"a\nb"', "column 1: the literal does not end"],
    ["<<( ?s <a:p> <a:o> )>>", "takes no variables (column 5: a term must stand here"],
    ['<<( "s" <a:p> <a:o> )>>', "column 5: a literal must be an object"],
    ["<a: b>", "column 1: the IRI has characters that no IRI can have"],
    ['"a"@muchtoolong', "column 4: a language tag (BCP 47) must stand here"],
  ])("%j is refused, naming the field and the place", (source, told) => {
    expect(() => parseTerm(source, "object")).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^object: /) as unknown,
        details: [{ field: "object", reason: expect.stringContaining(told) as unknown }],
      }),
    );
  });

  it("is refused when it is too long, naming the field", () => {
    expect(() => parseTerm(`<a:${"b".repeat(3000)}>`, "object")).toThrow(
      expect.objectContaining({
        code: "LIMIT_EXCEEDED",
        details: [{ field: "object", reason: expect.stringContaining("2048 bytes") as unknown }],
      }),
    );
  });
});
