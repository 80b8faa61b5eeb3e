import fc from "fast-check";
import { nQuad } from "../terms/n-quads.js";
import { blank, type Direction, iri, type ObjectTerm, type Quad, quad } from "../terms/term.js";
import { text, tripleTerm, typed, XSD_INTEGER } from "../terms/term.js";

const EXAMPLE = "http://example.org/";

/** An example IRI. */
export function example(name: string): ReturnType<typeof iri> {
  return iri(EXAMPLE + name);
}

const names = fc.constantFrom("a", "b", "c", "d", "e", "f").map(example);
const nodes = fc.oneof(names, fc.constantFrom("x", "y").map(blank));
const atoms = fc.oneof(
  nodes,
  fc.nat(20).map((n) => typed(String(n), XSD_INTEGER)),
  fc.constantFrom("", "one", "two\0").map((value) => text(value)),
  fc.constantFrom("eins", "zwei").map((value) => text(value, "de")),
  fc.constantFrom<Direction>("ltr", "rtl").map((direction) => text("eins", "de", direction)),
  fc.constantFrom(300, 301).map((length) => text("long ".repeat(length))),
);

/** An object term: mostly one of a few simple terms, sometimes a nested triple term of the same. */
export const anyObject: fc.Arbitrary<ObjectTerm> = fc.letrec<{ readonly object: ObjectTerm }>(
  (tie) => ({
    object: fc.oneof(
      { maxDepth: 3 },
      { weight: 5, arbitrary: atoms },
      {
        weight: 1,
        arbitrary: fc.tuple(nodes, names, tie("object")).map(([s, p, o]) => tripleTerm(s, p, o)),
      },
    ),
  }),
).object;

/** Quads from a small set of terms, so that they overlap. */
export const anyQuad: fc.Arbitrary<Quad> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(nodes, names, anyObject).map(([s, p, o]) => quad(s, p, o)) },
  fc.tuple(nodes, names, anyObject, nodes).map(([s, p, o, g]) => quad(s, p, o, g)),
);

/** A quad as text, for comparisons in tests. */
export function nameOf(one: Quad): string {
  return nQuad(one).trimEnd();
}

/** Quads as text, in sorted order. */
export function namesOf(quads: Iterable<Quad>): string {
  return [...quads].map(nameOf).sort().join("\n");
}
