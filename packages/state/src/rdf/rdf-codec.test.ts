import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import {
  blank,
  blankLabels,
  DEFAULT_GRAPH,
  type Hash,
  iri,
  MemoryBlockStore,
  nQuad,
  type ObjectTerm,
  quad,
  type Quad,
  type Term,
  text,
  TripleStore,
  tripleTerm,
  typed,
} from "../index.js";
import { RDF_FORMATS, type RdfFormat } from "../ports.js";
import { anyQuad } from "../testing/quads.js";
import { labelBlankNodes } from "./blank-labels.js";
import { jsonErrorOffset } from "./json-syntax.js";
import {
  caiFurerImmerman,
  chain,
  clique,
  moebiusLadder,
  ring,
  upTo,
} from "./testing/blank-graphs.js";
import { readDocument } from "../testing/read-document.js";
import { writeQuads } from "./write-quads.js";

const example = (name: string): ReturnType<typeof iri> => iri(`http://example.org/${name}`);

function rootOf(quads: Iterable<Quad>): Hash {
  const store = new TripleStore(new MemoryBlockStore(systemClock), systemClock);
  store.load(quads);
  return store.at(store.commit({ author: "a", message: "m" })).roots.spog;
}

async function written(quads: Iterable<Quad>, format: RdfFormat): Promise<string> {
  let content = "";
  for await (const piece of writeQuads(quads, format)) content += piece;
  return content;
}

/**
 * The quads that the format can express: triples have no graphs, and JSON-LD has no triple terms.
 */
function carried(quads: readonly Quad[], format: RdfFormat): readonly Quad[] {
  if (format === "json-ld") return quads.filter((one) => one.object.termType !== "Quad");
  if (format !== "n-triples" && format !== "turtle") return quads;
  return quads.filter((one) => one.graph.equals(DEFAULT_GRAPH));
}

const oddText = fc.string({ unit: "binary", maxLength: 30 });
const oddObject = fc.oneof(
  oddText.map((value) => text(value)),
  oddText.map((value) => text(value, "de-at-1996")),
  oddText.map((value) => text(value, "ar-latn", "rtl")),
  oddText.map((value) => typed(value, example("type#x"))),
  fc
    .constantFrom("1", "01", "+1", "1.0", "1e0", "-0", "NaN", "INF", "true", "{ }", "x")
    .chain((form) =>
      fc
        .constantFrom("integer", "decimal", "double", "boolean", "dateTime", "string")
        .map((type) => typed(form, iri(`http://www.w3.org/2001/XMLSchema#${type}`))),
    ),
  fc.constant(typed("{ }", iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"))),
  fc.constantFrom("nil", "type", "first").map((name) => {
    return iri(`http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`);
  }),
  fc.constantFrom("urn:x:y", "http://e/%20?a=b&c#d", "mailto:a@b", "http://é/ü", "a:").map(iri),
);
const oddQuad = fc
  .tuple(
    fc.oneof(
      oddObject,
      oddObject.map((object) => tripleTerm(example("s"), example("p"), object)),
    ),
    fc.constantFrom("rdf-syntax-ns#type", "rdf-syntax-ns#first", "rdf-syntax-ns#rest", "x", ""),
  )
  .map(([object, name]) => {
    return quad(example("s"), iri(`http://www.w3.org/1999/02/22-${name}`), object);
  });
const anyQuads = fc.array(fc.oneof(anyQuad, oddQuad), { maxLength: 25 });

describe.each(RDF_FORMATS)("RDF as %s", (format) => {
  it("comes back with the same root, and the second time with the same text", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuads, async (some) => {
        // Labels from a first reading are meaningful; foreign labels are not.
        const quads = await readDocument(await written(some, "n-quads"), "n-quads");
        const sent = carried(quads, format);
        const labelled = await readDocument(await written(sent, "n-quads"), "n-quads");
        const content = await written(labelled, format);
        const received = await readDocument(content, format);
        expect(rootOf(received)).toBe(rootOf(labelled));
        if (some.every((one) => blankLabels(one).length === 0))
          expect(rootOf(received)).toBe(rootOf(carried(some, format)));
      }),
      { numRuns: 60 },
    );
  });
});

describe("labels of blank nodes", () => {
  const knows = (a: string, b: string): Quad => quad(blank(a), example("knows"), blank(b));
  const labelled = (quads: readonly Quad[]): Promise<string> =>
    written(quads, "n-quads")
      .then((content) => readDocument(content, "n-quads"))
      .then((read) => read.map(nQuad).sort().join(""));

  it("follow from what is said, not from how it is written", async () => {
    const anyRenaming = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/), {
      minLength: 2,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyQuad, { maxLength: 15 }), anyRenaming, async (quads, names) => {
        const rename = <T extends Term>(term: T): T =>
          term.termType === "BlankNode"
            ? (blank(names[term.value === "x" ? 0 : 1] ?? "") as T)
            : term;
        const renameObject = (term: ObjectTerm): ObjectTerm =>
          term.termType === "Quad"
            ? tripleTerm(rename(term.subject), term.predicate, renameObject(term.object))
            : rename(term);
        const renamed = quads.map((one) =>
          quad(rename(one.subject), one.predicate, renameObject(one.object), rename(one.graph)),
        );
        expect(await labelled(renamed.reverse())).toBe(await labelled(quads));
      }),
      { numRuns: 60 },
    );
  });

  it("keep apart what different documents say, and the copies in one", async () => {
    const [one] = await readDocument("_:a <http://e/p> 'one' .", "turtle");
    const [two] = await readDocument("_:a <http://e/p> 'two' .", "turtle");
    expect(one?.subject.value).not.toBe(two?.subject.value);
    const copies = await readDocument("[] <http://e/p> 'one' . [] <http://e/p> 'one' .", "turtle");
    expect(new Set(copies.map(({ subject }) => subject.value)).size).toBe(2);
    expect(copies.map(({ subject }) => subject.value)).toContain(one?.subject.value);
  });

  it("do not depend on what else is in the dataset", async () => {
    const pair = [knows("a", "b"), knows("b", "a")];
    const alone = await labelled(pair);
    const together = await labelled([
      ...pair,
      knows("c", "c"),
      quad(blank("d"), example("p"), text("x")),
    ]);
    expect(together).toContain(alone.split("\n")[0]);
  });

  it("are found for the documents that took longest to tell apart by RDFC-1.0", async () => {
    const zeros = JSON.stringify({ "http://e/p": { "@list": upTo(300).map(() => 0) } });
    const list = await readDocument(zeros, "json-ld");
    expect(new Set(list.map(({ subject }) => subject.value)).size).toBe(301);
    for (const quads of [chain(1000), ring(600), clique(12)]) {
      const nodes = new Set(quads.flatMap(({ subject, object }) => [subject.value, object.value]));
      const found = (await labelled(quads)).match(/_:\w+/g) ?? [];
      expect(new Set(found).size).toBe(nodes.size);
    }
  });

  it("are refused where they would take for ever, with what to do", () => {
    expect(() => labelBlankNodes(caiFurerImmerman(moebiusLadder(40)), 100_000)).toThrow(
      expect.objectContaining({
        code: "LIMIT_EXCEEDED",
        message: expect.stringMatching(
          /^content: 400 blank nodes .* than STATE_LABEL_STEPS_MAX \(100000\) steps: give some of them IRIs/,
        ) as unknown,
      }) as Error,
    );
  });
});

describe("where JSON goes wrong", () => {
  it("is the first character that no JSON could have there", () => {
    const anyJson = fc.json({ maxDepth: 3 });
    fc.assert(
      fc.property(
        anyJson,
        fc.nat(),
        fc.stringMatching(/^[{}[\],:"\\x1.e -]$/),
        (json, place, char) => {
          const at = place % (json.length + 1);
          const changed = json.slice(0, at) + char + json.slice(at);
          const offset = jsonErrorOffset(changed);
          const isJson = (text: string): boolean => {
            try {
              JSON.parse(text);
              return true;
            } catch {
              return false;
            }
          };
          if (isJson(changed)) expect(offset).toBe(changed.length);
          // The text before the position is a prefix of valid JSON; with one character more it is
          // not.
          expect(jsonErrorOffset(changed.slice(0, offset))).toBe(offset);
          if (isJson(changed) || offset === changed.length) return;
          expect(jsonErrorOffset(changed.slice(0, offset + 1))).toBe(offset);
          expect(jsonErrorOffset(json)).toBe(json.length);
        },
      ),
    );
  });
});

/** So many triple terms, each the object of the one around it. */
function nested(depth: number): string {
  return `${"<<( <a:a> <a:b> ".repeat(depth)}<a:c>${" )>>".repeat(depth)}`;
}

describe("RDF 1.2", () => {
  const lines = async (content: string, format: RdfFormat): Promise<readonly string[]> =>
    (await readDocument(content, format)).map((one) => nQuad(one).trimEnd()).sort();

  it("has one meaning in each syntax: triple terms, reifiers, annotations, versions", async () => {
    const said = "<<( <a:s> <a:p> <a:o> )>>";
    const reified = [
      `<a:r> <a:by> "Ada" .`,
      `<a:r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> ${said} .`,
    ];
    const asserted = "<a:s> <a:p> <a:o> .";
    const prefix = 'VERSION "1.2" PREFIX a: <a:>';
    const rdf = "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>";
    expect(await lines(`${prefix} << a:s a:p a:o ~ a:r >> a:by "Ada" .`, "turtle")).toEqual(
      reified,
    );
    expect(
      await lines(`${prefix} ${rdf} a:r rdf:reifies <<( a:s a:p a:o )>> ; a:by "Ada" .`, "turtle"),
    ).toEqual(reified);
    expect(await lines(`VERSION "1.2"\n${reified.join("\n")}`, "n-triples")).toEqual(reified);
    expect(await lines(`${prefix} a:s a:p a:o ~ a:r {| a:by "Ada" |} .`, "trig")).toEqual([
      ...reified,
      asserted,
    ]);
    expect(await lines(`${prefix} a:g { a:s a:p a:o ~ a:r . }`, "trig")).toEqual([
      `<a:r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> ${said} <a:g> .`,
      "<a:s> <a:p> <a:o> <a:g> .",
    ]);
  });

  it("has base directions in each syntax, by JSON-LD's context too", async () => {
    const wanted = ['<a:a> <a:b> "x"@ar--rtl .'];
    expect(await lines("<a:a> <a:b> 'x'@AR--rtl .", "turtle")).toEqual(wanted);
    expect(await lines('<a:a> <a:b> "x"@ar--rtl .', "n-quads")).toEqual(wanted);
    for (const node of [
      '"a:b": {"@value": "x", "@language": "ar", "@direction": "rtl"}',
      '"@context": {"@language": "ar", "@direction": "rtl"}, "a:b": "x"',
    ]) {
      expect(await lines(`{"@id": "a:a", ${node}}`, "json-ld")).toEqual(wanted);
    }
  });

  it("is not looked for inside a literal of JSON", async () => {
    const json = '{"@direction": "rtl", "@value": "x"}';
    const content = `{"@id": "a:a", "a:b": {"@type": "@json", "@value": ${json}}}`;
    const [one] = await readDocument(content, "json-ld");
    expect(one?.object.value).toBe(JSON.stringify(JSON.parse(json)));
  });

  it("is announced in Turtle ahead of what needs it, and nowhere else", async () => {
    const plain = quad(example("a"), example("p"), text("x"));
    const term = tripleTerm(example("a"), example("p"), text("x"));
    const about = quad(example("b"), example("p"), term);
    expect(await written([plain], "turtle")).not.toContain("version");
    const content = await written([plain, about], "turtle");
    expect(content.split('@version "1.2".').map((part) => part.includes("<<("))).toEqual([
      false,
      true,
    ]);
    expect(await written([about], "n-quads")).toBe(nQuad(about));
  });

  it("takes triple terms as deep as the limit, and labels the blank nodes in them by what is said", async () => {
    const deep = nested(16);
    expect(await lines(`<a:a> <a:b> ${deep} .`, "turtle")).toEqual([`<a:a> <a:b> ${deep} .`]);
    const [one] = await lines("<a:a> <a:b> <<( _:x <a:b> <<( _:y <a:b> _:x )>> )>> .", "turtle");
    const [two] = await lines("<a:a> <a:b> <<( _:y <a:b> <<( _:x <a:b> _:y )>> )>> .", "n-quads");
    const [other] = await lines("<a:a> <a:b> <<( _:x <a:b> <<( _:y <a:b> _:y )>> )>> .", "turtle");
    expect(one).toBe(two);
    expect(one).not.toBe(other);
  });

  it("is refused in JSON-LD where there are triple terms", async () => {
    const term = tripleTerm(example("a"), example("p"), text("x"));
    await expect(written([quad(example("b"), example("p"), term)], "json-ld")).rejects.toThrow(
      "JSON-LD 1.1 has no triple terms",
    );
  });
});

describe("malformed RDF", () => {
  const cases: readonly [RdfFormat, string, string][] = [
    [
      "turtle",
      "@prefix e: <http://e/> .\n  e:a e:p e:r e:s .",
      "line 2, column 15: Expected punct",
    ],
    ["turtle", "<http://e/a> <http://e/b> #c\n  $bad .", 'line 2, column 3: Unexpected "$bad"'],
    ["turtle", "<http://e/a> <http://e/b> e:x .", 'line 1, column 27: Undefined prefix "e:"'],
    ["turtle", "\n<http://e/a> <http://e/b> <c> .", "line 2, column 27: <c> is relative"],
    ["turtle", "<http://e/a> <http://e/b>", "line 1, column 26: Expected entity but got eof"],
    ["turtle", "<http://e/a b> <http://e/b> 1 .", "line 1, column 1: Unexpected"],
    ["turtle", "?x <http://e/b> 1 .", "line 1, column 1:"],
    ["turtle", "<a:a> <a:b>\n 'x'@en--up .", 'line 2, column 8: Unexpected "--up"'],
    ["turtle", "<a:a> <a:b>\n <<( <a:a> <a:b> <c> )>> .", "line 2, column 18: <c> is relative"],
    ["turtle", "<a:a> <a:b>\n <<( <a:a> <a:b> <a:c> >> .", "line 2, column 24:"],
    ["turtle", "<<( <a:a> <a:b> <a:c> )>> <a:b> <a:c> .", "line 1, column 1: Disallowed"],
    ["turtle", "<a:a> <a:b> <a:c> {| |} .", "line 1, column 22: Annotation block"],
    ["turtle", "\nVERSION '2.0'\n<a:a> <a:b> <a:c> .", "line 2, column 9: Detected unsupported"],
    ["trig", "<a:g> { << <a:a> <a:b> 1 ~ 2 >> <a:b> <a:c> }", "line 1, column 28:"],
    [
      "turtle",
      `<a:a> <a:b> ${nested(17)} .`,
      "line 1, column 359: Triple terms nest 16 deep at most",
    ],
    ["n-quads", "<a:a> <a:b> <<( <a:a> <a:b> _:c )>> )>> .", "line 1, column 37:"],
    ["turtle", `<http://e/a> <http://e/b> """a\nb""" 'x' .`, "line 2, column 6:"],
    [
      "n-triples",
      '<http://e/a> <http://e/b> "x .\n',
      "line 1, column 27: the literal does not end",
    ],
    ["n-quads", "<http://e/a> <http://e/b> <c> .", "line 1, column 27: the IRI is relative"],
    ["trig", "<http://e/g> { <http://e/a> <http://e/b> 1 ", "line 1, column 44:"],
    ["turtle", `<a:a> <a:b> <a:${"x".repeat(3000)}> .`, "line 1, column"],
    ["json-ld", '{\n  "a": }', "line 2, column 8:"],
    ["json-ld", '{\n  "a": [', "line 2, column 9:"],
    [
      "json-ld",
      '{\n "@id": 5,\n "http://e/p": 1}',
      'line 2, column 9: Invalid JSON-LD syntax; "@id"',
    ],
    ["json-ld", '{"@id": "rel",\n "http://e/p": 1}', "line 1, column 9: Relative @id reference"],
    ["json-ld", '{"@context":\n "http://127.0.0.1/c"}', "line 2, column 2: The remote context"],
    [
      "json-ld",
      '{"a:b":\n {"@value": "x", "@direction": "rtl"}}',
      "line 2, column 13: Text with a base direction must have a language",
    ],
  ];
  it.each(cases)("in %s is refused with its place: %j", async (format, content, told) => {
    await expect(readDocument(content, format)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(`content: ${told}`) as unknown,
      details: [{ field: "content", reason: expect.stringContaining(told) as unknown }],
    });
  });
});
