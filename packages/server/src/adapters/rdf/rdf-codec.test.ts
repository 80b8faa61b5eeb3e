import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../kernel/clock.js";
import {
  blank,
  DEFAULT_GRAPH,
  type Hash,
  iri,
  MemoryBlockStore,
  nQuad,
  quad,
  type Quad,
  RDF_FORMATS,
  type RdfFormat,
  text,
  TripleStore,
  typed,
} from "../../state/index.js";
import { anyQuad } from "../../state/testing/quads.js";
import { rdfCodec } from "./index.js";
import { jsonErrorOffset } from "./json-syntax.js";

const example = (name: string): ReturnType<typeof iri> => iri(`http://example.org/${name}`);

function rootOf(quads: Iterable<Quad>): Hash {
  const store = new TripleStore(new MemoryBlockStore(systemClock), systemClock);
  store.load(quads);
  return store.at(store.commit({ author: "a", message: "m" })).roots.spog;
}

async function written(quads: Iterable<Quad>, format: RdfFormat): Promise<string> {
  let content = "";
  for await (const piece of rdfCodec.write(quads, format)) content += piece;
  return content;
}

/** What the format can carry: triples alone have no graphs. */
function carried(quads: readonly Quad[], format: RdfFormat): readonly Quad[] {
  if (format !== "n-triples" && format !== "turtle") return quads;
  return quads.filter((one) => one.graph.equals(DEFAULT_GRAPH));
}

const oddText = fc.string({ unit: "binary", maxLength: 30 });
const oddObject = fc.oneof(
  oddText.map((value) => text(value)),
  oddText.map((value) => text(value, "de-at-1996")),
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
    oddObject,
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
        // What was read once has labels that mean something; foreign ones mean nothing.
        const quads = await rdfCodec.read(await written(some, "n-quads"), "n-quads");
        const sent = carried(quads, format);
        const labelled = await rdfCodec.read(await written(sent, "n-quads"), "n-quads");
        const content = await written(labelled, format);
        const received = await rdfCodec.read(content, format);
        expect(rootOf(received)).toBe(rootOf(labelled));
        if (!some.some(hasBlank)) expect(rootOf(received)).toBe(rootOf(carried(some, format)));
      }),
      { numRuns: 60 },
    );
  });
});

function hasBlank({ subject, object, graph }: Quad): boolean {
  return [subject, object, graph].some(({ termType }) => termType === "BlankNode");
}

describe("labels of blank nodes", () => {
  const knows = (a: string, b: string): Quad => quad(blank(a), example("knows"), blank(b));
  const labelled = (quads: readonly Quad[]): Promise<string> =>
    written(quads, "n-quads")
      .then((content) => rdfCodec.read(content, "n-quads"))
      .then((read) => read.map(nQuad).sort().join(""));

  it("follow from what is said, not from how it is written", async () => {
    const anyRenaming = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/), {
      minLength: 2,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyQuad, { maxLength: 15 }), anyRenaming, async (quads, names) => {
        const rename = <T extends Quad["subject"] | Quad["object"] | Quad["graph"]>(term: T): T =>
          term.termType === "BlankNode"
            ? (blank(names[term.value === "x" ? 0 : 1] ?? "") as T)
            : term;
        const renamed = quads.map((one) =>
          quad(rename(one.subject), one.predicate, rename(one.object), rename(one.graph)),
        );
        expect(await labelled(renamed.reverse())).toBe(await labelled(quads));
      }),
      { numRuns: 60 },
    );
  });

  it("keep apart what different documents say, and the copies in one", async () => {
    const [one] = await rdfCodec.read("_:a <http://e/p> 'one' .", "turtle");
    const [two] = await rdfCodec.read("_:a <http://e/p> 'two' .", "turtle");
    expect(one?.subject.value).not.toBe(two?.subject.value);
    const copies = await rdfCodec.read("[] <http://e/p> 'one' . [] <http://e/p> 'one' .", "turtle");
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

  it("are refused where they would take for ever", async () => {
    const nodes = Array.from({ length: 12 }, (_, n) => `n${n}`);
    const clique = nodes.flatMap((a) => nodes.filter((b) => b !== a).map((b) => knows(a, b)));
    await expect(labelled(clique)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
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
          // What stands before is the beginning of some JSON, and with one character more it is not.
          expect(jsonErrorOffset(changed.slice(0, offset))).toBe(offset);
          if (isJson(changed) || offset === changed.length) return;
          expect(jsonErrorOffset(changed.slice(0, offset + 1))).toBe(offset);
          expect(jsonErrorOffset(json)).toBe(json.length);
        },
      ),
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
    ["turtle", "<http://e/a> <http://e/b> 'x'@en--ltr .", "line 1, column"],
    ["turtle", "<http://e/a> <http://e/b> <<( <a:a> <a:b> <a:c> )>> .", "line 1, column"],
    ["turtle", `<http://e/a> <http://e/b> """a\nb""" 'x' .`, "line 2, column 6:"],
    ["n-triples", '<http://e/a> <http://e/b> "x .\n', "line 1, column 27: Unexpected"],
    ["n-quads", "<http://e/a> <http://e/b> <c> .", "line 1, column 27: Invalid IRI"],
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
    ["json-ld", '{"@context":\n "http://127.0.0.1/c"}', "line 2, column 2: The context"],
  ];
  it.each(cases)("in %s is refused with its place: %j", async (format, content, told) => {
    await expect(rdfCodec.read(content, format)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(`content: ${told}`) as unknown,
      details: [{ field: "content", reason: expect.stringContaining(told) as unknown }],
    });
  });
});
