import fc from "fast-check";
import { blank, iri, type Quad, quad, text, typed, XSD_INTEGER } from "../term.js";

const EXAMPLE = "http://example.org/";

/** An IRI of the examples. */
export function example(name: string): ReturnType<typeof iri> {
  return iri(EXAMPLE + name);
}

const names = fc.constantFrom("a", "b", "c", "d", "e", "f").map(example);
const nodes = fc.oneof(names, fc.constantFrom("x", "y").map(blank));
const objects = fc.oneof(
  nodes,
  fc.nat(20).map((n) => typed(String(n), XSD_INTEGER)),
  fc.constantFrom("", "one", "two\0").map((value) => text(value)),
  fc.constantFrom("eins", "zwei").map((value) => text(value, "de")),
  fc.constantFrom(300, 301).map((length) => text("long ".repeat(length))),
);

/** Quads of few terms, so that they meet. */
export const anyQuad: fc.Arbitrary<Quad> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(nodes, names, objects).map(([s, p, o]) => quad(s, p, o)) },
  fc.tuple(nodes, names, objects, nodes).map(([s, p, o, g]) => quad(s, p, o, g)),
);

/** What a quad is known by in tests. */
export function nameOf({ subject, predicate, object, graph }: Quad): string {
  const language = object.termType === "Literal" ? object.language + object.datatype.value : "";
  return [subject, predicate, object, graph]
    .map((term) => `${term.termType} ${term.value}`)
    .concat(language)
    .join("|");
}

/** What quads are known by, without regard to order. */
export function namesOf(quads: Iterable<Quad>): string {
  return [...quads].map(nameOf).sort().join("\n");
}
