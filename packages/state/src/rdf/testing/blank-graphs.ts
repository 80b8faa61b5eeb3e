import fc from "fast-check";
import { blank, iri, type NamedNode, type Quad, quad } from "../../index.js";

const knows = iri("http://e/knows");
const likes = iri("http://e/likes");

/** A pair of vertices, joined in this direction. */
export type Arc = readonly [from: number | string, to: number | string];

/** The numbers from 0 to before this one. */
export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** A quad of blank nodes for each arc. */
export function quadsOf(arcs: readonly Arc[], property: NamedNode = knows): readonly Quad[] {
  return arcs.map(([from, to]) => quad(blank(`v${from}`), property, blank(`v${to}`)));
}

/** A quad in each direction for each pair. */
export function undirected(pairs: readonly Arc[], property: NamedNode = knows): readonly Quad[] {
  return quadsOf([...pairs, ...pairs.map(([a, b]): Arc => [b, a])], property);
}

/** A chain of so many arcs. */
export function chain(length: number): readonly Quad[] {
  return quadsOf(upTo(length).map((index) => [index, index + 1]));
}

/** A ring with this many nodes. @param name distinguishes its nodes from those of other rings. */
export function ring(size: number, name = ""): readonly Quad[] {
  return quadsOf(upTo(size).map((index) => [`${name}${index}`, `${name}${(index + 1) % size}`]));
}

/** Every two of so many nodes. */
export function clique(size: number): readonly Quad[] {
  return quadsOf(
    upTo(size).flatMap((a) => upTo(size).flatMap((b): Arc[] => (a === b ? [] : [[a, b]]))),
  );
}

/** A square grid with so many nodes to a side. */
export function grid(side: number): readonly Quad[] {
  return undirected(
    upTo(side * side).flatMap((at): Arc[] => [
      ...((at + 1) % side === 0 ? [] : [[at, at + 1] as const]),
      ...(at + side >= side * side ? [] : [[at, at + side] as const]),
    ]),
  );
}

/** Nodes in a square, joined where they share a row or a column: strongly regular. */
export function rook(side: number): readonly Quad[] {
  const row = (at: number): number => Math.floor(at / side);
  return joinedWhere(side * side, (a, b) => row(a) === row(b) || a % side === b % side);
}

/** The Shrikhande graph, which has the parameters of {@link rook} of 4 and is another graph. */
export function shrikhande(): readonly Quad[] {
  const steps = new Set(["0 1", "1 0", "1 1", "0 3", "3 0", "3 3"]);
  return joinedWhere(16, (a, b) => {
    const [x, y] = [(4 + (b >> 2) - (a >> 2)) % 4, (4 + (b % 4) - (a % 4)) % 4];
    return steps.has(`${x} ${y}`);
  });
}

/** The Paley graph of a prime that is 1 modulo 4: strongly regular. */
export function paley(prime: number): readonly Quad[] {
  const squares = new Set(upTo(prime).map((root) => (root * root) % prime));
  return joinedWhere(prime, (a, b) => squares.has((prime + a - b) % prime));
}

function joinedWhere(size: number, areJoined: (a: number, b: number) => boolean): readonly Quad[] {
  const arcs = upTo(size).flatMap((a) => upTo(size).map((b): Arc => [a, b]));
  return quadsOf(arcs.filter(([a, b]) => a !== b && areJoined(Number(a), Number(b))));
}

/**
 * The graph that Cai, Fürer and Immerman constructed from a cubic graph to show the limits of
 * colour refinement (1992): the time to search it grows exponentially.
 * @param pairs the edges of the cubic graph.
 */
export function caiFurerImmerman(pairs: readonly Arc[]): readonly Quad[] {
  const end = (vertex: number | string, pair: number, bit: number): string =>
    `${vertex}.${pair}.${bit}`;
  const across = pairs.flatMap(([a, b], pair) =>
    [0, 1].map((bit): Arc => [end(a, pair, bit), end(b, pair, bit)]),
  );
  const opposite = pairs.flatMap(([a, b], pair) =>
    [a, b].map((vertex): Arc => [end(vertex, pair, 0), end(vertex, pair, 1)]),
  );
  const inside = [...new Set(pairs.flat())].flatMap((vertex) => {
    const own = [...pairs.keys()].filter((pair) => pairs[pair]?.includes(vertex));
    return ["000", "011", "101", "110"].flatMap((bits) =>
      own.map((pair, index): Arc => [`${vertex}-${bits}`, end(vertex, pair, Number(bits[index]))]),
    );
  });
  return [...undirected(across), ...undirected(opposite, likes), ...undirected(inside)];
}

/** A ring of so many vertices, each joined with the one opposite: cubic where the number is even. */
export function moebiusLadder(size: number): readonly Arc[] {
  return [
    ...upTo(size).map((at): Arc => [at, (at + 1) % size]),
    ...upTo(size / 2).map((at): Arc => [at, at + size / 2]),
  ];
}

/** Joined in one by a node that points at each. */
export function underHub(quads: readonly Quad[]): readonly Quad[] {
  const nodes = new Set(quads.flatMap(({ subject, object }) => [subject.value, object.value]));
  return [...quads, ...[...nodes].map((node) => quad(blank("hub"), likes, blank(node)))];
}

/** Any few quads of few blank nodes, some of them with a blank node as the graph. */
export const anyBlankQuads: fc.Arbitrary<readonly Quad[]> = fc
  .record({ size: fc.integer({ min: 1, max: 7 }), quadsMax: fc.integer({ min: 1, max: 16 }) })
  .chain(({ size, quadsMax }) => {
    const node = fc.nat(size - 1).map((index) => blank(`v${index}`));
    const graph = fc.option(node, { nil: undefined, freq: 5 });
    const one = fc
      .tuple(node, fc.constantFrom(knows, likes), node, graph)
      .map(([s, p, o, g]) => quad(s, p, o, g));
    return fc.array(one, { minLength: 1, maxLength: quadsMax });
  });

/** Any circulant graph: one that looks the same from each node. */
const anyCirculant = fc
  .tuple(
    fc.integer({ min: 3, max: 16 }),
    fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([size, steps]) =>
    quadsOf(upTo(size).flatMap((at) => steps.map((step): Arc => [at, (at + step) % size]))),
  );

/** Any graph that is hard to tell the nodes of apart. */
export const anySymmetric: fc.Arbitrary<readonly Quad[]> = fc.oneof(
  anyCirculant,
  fc
    .tuple(anyCirculant, anyCirculant)
    .map(([a, b]) => underHub([...a, ...renamed(b, (name) => `o${name}`)])),
  fc.constantFrom(rook(3), rook(4), shrikhande(), paley(13), clique(6), grid(4)),
  fc.constantFrom(4, 6, 8).map((size) => caiFurerImmerman(moebiusLadder(size))),
);

/** The same quads with other labels. */
export function renamed(
  quads: readonly Quad[],
  rename: (label: string) => string,
): readonly Quad[] {
  const name = <T extends Quad["subject"] | Quad["object"] | Quad["graph"]>(term: T): T =>
    // The renamed term is a blank node too, so its type stays the same.
    term.termType === "BlankNode" ? (blank(rename(term.value)) as T) : term;
  return quads.map(({ subject, predicate, object, graph }) =>
    quad(name(subject), predicate, name(object), name(graph)),
  );
}

/** The quads with any other labels, in any other order. */
export function anyIsomorphic(quads: readonly Quad[]): fc.Arbitrary<readonly Quad[]> {
  const labels = [
    ...new Set(
      quads.flatMap(({ subject, object, graph }) =>
        [subject, object, graph].flatMap((term) =>
          term.termType === "BlankNode" ? term.value : [],
        ),
      ),
    ),
  ];
  const shuffle = <T>(items: readonly T[]): fc.Arbitrary<readonly T[]> =>
    fc.shuffledSubarray([...items], { minLength: items.length });
  return fc.tuple(shuffle(labels), shuffle(quads)).map(([places, shuffled]) => {
    const names = new Map(places.map((label, place) => [label, `r${place}`]));
    return renamed(shuffled, (label) => names.get(label) ?? label);
  });
}
