import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { nQuad } from "./n-quads.js";
import { NQuadsReader, readNQuads } from "./read-n-quads.js";
import { anyQuad, namesOf } from "../testing/quads.js";
import { quad, type Quad, text, typed, iri } from "./term.js";
import { TripleStore } from "../datasets/triple-store.js";

const oddQuad = fc
  .string({ unit: "binary", maxLength: 20 })
  .chain((value) =>
    fc.constantFrom(text(value), text(value, "de-AT"), typed(value, iri("http://e/t"))),
  )
  .map((object) => quad(iri("http://e/s"), iri("http://e/p"), object));

function read(pieces: Iterable<string>): string {
  const store = new TripleStore(new MemoryBlockStore(systemClock), systemClock);
  store.load(readNQuads(pieces));
  return namesOf(store.now.match());
}

const dirLangString = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>";

describe("reading N-Quads", () => {
  it("gives back what was written, wherever the text is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyQuad, oddQuad), { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (quads: readonly Quad[], cuts) => {
          const whole = quads.map(nQuad).join("");
          const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length];
          const ends = places.sort((a, b) => a - b);
          const pieces = ends.slice(1).map((end, index) => whole.slice(ends[index], end));
          const distinct = [...new Map(quads.map((one) => [nQuad(one), one])).values()];
          expect(read(pieces)).toBe(namesOf(distinct));
        },
      ),
    );
  });

  it("takes spaces, comments, escapes, empty lines and no newline at the end", () => {
    const odd =
      '# a comment\r\n\n\t<http://e/\\u00e9><http://e/p>"a\\n\\u0041"@EN.# end\r\n<a:a> <a:b> _:c.';
    expect(read([odd])).toBe(
      read(['<http://e/é> <http://e/p> "a\\nA"@en .\n', "<a:a> <a:b> _:c .\n"]),
    );
  });

  it("takes triple terms and base directions, with spaces and without, and announced versions", () => {
    const odd =
      'VERSION "1.2" # new\n<a:a><a:b><<(_:s<a:p><<(<a:s><a:p>"x"  @AR--rtl)>>)>><a:g>.\n<a:a> <a:b> "1" ^^ <a:t>.';
    expect(read([odd])).toBe(
      [
        '<a:a> <a:b> "1"^^<a:t> .',
        '<a:a> <a:b> <<( _:s <a:p> <<( <a:s> <a:p> "x"@ar--rtl )>> )>> <a:g> .',
      ].join("\n"),
    );
  });

  it("knows no graphs in N-Triples", () => {
    const reader = new NQuadsReader("n-triples");
    expect([...reader.read("<a:a> <a:b> <a:c> .\n")]).toHaveLength(1);
    expect(() => [...reader.read("<a:a> <a:b> <a:c> <a:g> .\n")]).toThrow(
      "line 2, column 19: a dot must end the statement: N-Triples has no graphs",
    );
  });

  it.each([
    ["<a:a> <a:b> <a:c>", "line 1, column 18: a term must stand here"],
    ["\n<a:a> <a:b> <c> .", "line 2, column 13: the IRI is relative"],
    ['<a:a> <a:b> "c .', "line 1, column 13: the literal does not end"],
    ['<a:a> <a:b> "\\x" .', "line 1, column 13: the literal has a wrong escape"],
    ["<a:a> <a:b> <a:c> . <a:d>", "line 1, column 21: nothing may follow the dot"],
    ['<a:a> <a:b> "c"^^int .', "line 1, column 18: the datatype must be an <iri>"],
    ["<a:a> <a:b> <a:c> <a:d> <a:e> .", "line 1, column 25: a dot must end the statement"],
    ["a <a:b> <a:c> .", "line 1, column 1: a term must stand here"],
    ["<a:a> _:b <a:c> .", "line 1, column 7: a predicate must be an <iri>"],
    ['<a:a> <a:b> <a:c> "d" .', "line 1, column 19: a literal must be an object"],
    [
      "<<( <a:s> <a:p> <a:o> )>> <a:b> <a:c> .",
      "line 1, column 1: a triple term must be an object",
    ],
    ['<a:a> <a:b> <<( "s" <a:p> <a:o> )>> .', "line 1, column 17: a literal must be an object"],
    [
      "<a:a> <a:b> <a:\\u0020c> .",
      "line 1, column 13: the IRI has characters that no IRI can have",
    ],
    ['<a:a> <a:b> "c"@muchtoolong .', "line 1, column 16: a language tag (BCP 47) must stand here"],
    ['<a:a> <a:b> "c"@en--up .', "line 1, column 19: the base direction must be --ltr or --rtl"],
    ["<a:a> <a:b> <<( <a:s> <a:p> <a:o> .", "line 1, column 35: )>> must end the triple term"],
    ["<a:a> <a:b> <<( <a:s> <a:p> )>> .", "line 1, column 29: a term must stand here"],
    [
      `<a:a> <a:b> ${"<<( <a:s> <a:p> ".repeat(17)}`,
      "line 1, column 269: triple terms nest 16 deep at most",
    ],
    [`<a:a> <a:b> "c"^^${dirLangString} .`, "line 1, column 18: text of this datatype must have"],
    ['\nVERSION "2.0"\n', "line 2, column 14: RDF 2.0 cannot be read: 1.1, 1.2-basic, 1.2 can"],
    ['VERSION "1.2" .', "line 1, column 15: nothing may follow the version"],
    ["VERSION 1.2", "line 1, column 9: text in double quotes must stand here"],
  ])("refuses %j with its place", (content, told) => {
    expect(() => read([content])).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(told) as unknown,
      }),
    );
  });
});
