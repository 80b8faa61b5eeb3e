import { describe, expect, it } from "vitest";
import { ntriplesOf, shortTerm } from "./terms.js";

describe("a term", () => {
  it("is written in N-Triples syntax, whatever its text contains", () => {
    expect(ntriplesOf({ type: "uri", value: "urn:order:1" })).toBe("<urn:order:1>");
    expect(ntriplesOf({ type: "bnode", value: "b0" })).toBe("_:b0");
    expect(ntriplesOf({ type: "literal", value: 'a "b"\\\nc' })).toBe(String.raw`"a \"b\"\\\nc"`);
    expect(ntriplesOf({ type: "literal", value: "ja", "xml:lang": "de" })).toBe(`"ja"@de`);
    expect(ntriplesOf({ type: "literal", value: "x", "xml:lang": "ar", "its:dir": "rtl" })).toBe(
      `"x"@ar--rtl`,
    );
    expect(ntriplesOf({ type: "literal", value: "1", datatype: "urn:t" })).toBe(`"1"^^<urn:t>`);
    const triple = {
      subject: { type: "uri", value: "urn:s" },
      predicate: { type: "uri", value: "urn:p" },
      object: { type: "literal", value: "o" },
    } as const;
    expect(ntriplesOf({ type: "triple", value: triple })).toBe(`<<( <urn:s> <urn:p> "o" )>>`);
  });

  it("is short for people", () => {
    expect(shortTerm({ type: "uri", value: "https://example.org/ns#status" })).toBe("status");
    expect(shortTerm({ type: "uri", value: "https://example.org/" })).toBe("https://example.org/");
  });
});
