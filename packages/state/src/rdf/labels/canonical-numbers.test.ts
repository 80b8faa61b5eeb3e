import { hash } from "node:crypto";
import fc from "fast-check";
import rdfCanonize from "rdf-canonize";
import { describe, expect, it } from "vitest";
import { blank, iri, type Quad, quad, text } from "../../index.js";
import {
  anyBlankQuads,
  anyIsomorphic,
  caiFurerImmerman,
  chain,
  clique,
  grid,
  moebiusLadder,
  paley,
  quadsOf,
  ring,
  rook,
  shrikhande,
  underHub,
  undirected,
  upTo,
} from "../testing/blank-graphs.js";
import { canonicalNumbers } from "./canonical-numbers.js";
import { type Component, componentsOf } from "./component.js";
import { type Digest, sha256 } from "./digest.js";
import { firstDegreeHashes, sortedText } from "./first-degree.js";
import { rdfcNumbers } from "./rdfc.js";
import { StepBudget, StepsExhausted } from "./step-budget.js";
import { bySearch, expectInvariance, textOf, textsOf } from "./testing/numbering.js";

function byRdfc(component: Component, digest: Digest = sha256, stepsMax = 10_000): Int32Array {
  const first = firstDegreeHashes(component, digest);
  return rdfcNumbers(component, first, digest, new StepBudget(stepsMax));
}

/** Steps that a search takes. */
function stepsOf(quads: readonly Quad[]): number {
  const budget = new StepBudget(Infinity);
  for (const component of componentsOf(quads)) canonicalNumbers(component, budget);
  return budget.spent;
}

/** RDFC-1.0 as the package rdf-canonize does it, which was written by authors of the standard. */
function reference(component: Component, bits: 256 | 384 = 256): Promise<string> {
  const written = sortedText(component.quads, (node) => `x${node}`);
  return rdfCanonize.canonize(written, {
    algorithm: "RDFC-1.0",
    inputFormat: "application/n-quads",
    maxWorkFactor: Infinity,
    messageDigestAlgorithm: `SHA-${bits}`,
  });
}

const p = iri("http://e/p");
const [a, b, c] = [blank("a"), blank("b"), blank("c")];

/** In the spirit of the standard's own suite (https://w3c.github.io/rdf-canon/tests/). */
const DATASETS: Readonly<Record<string, readonly Quad[]>> = {
  "a circle of three": ring(3),
  "a circle in both directions": undirected([
    [0, 1],
    [1, 2],
    [2, 0],
  ]),
  "a diamond": quadsOf([
    ["top", "left"],
    ["top", "right"],
    ["left", "low"],
    ["right", "low"],
  ]),
  "a circle of which one node has a value": [...ring(4), quad(blank("v2"), p, text("x"))],
  "nodes that are graphs too": [quad(a, p, b, a), quad(b, p, a, b), quad(a, p, c, b)],
  "a node several times in a quad": [quad(a, p, a, a), quad(a, p, b, b), quad(b, p, a, c)],
  "six nodes with three neighbours each": undirected(moebiusLadder(6)),
  "a chain of sixteen alike": chain(17),
};

describe("RDFC-1.0", () => {
  it.each(Object.entries(DATASETS))("numbers the nodes of %s as it must", async (_, quads) => {
    for (const component of componentsOf(quads)) {
      const numbers = canonicalNumbers(component, new StepBudget(0));
      expect(textOf(component, numbers)).toBe(await reference(component));
    }
  });

  it("is what any small component is numbered by", async () => {
    await fc.assert(
      fc.asyncProperty(anyBlankQuads, async (quads) => {
        for (const component of componentsOf(quads)) {
          expect(textOf(component, byRdfc(component))).toBe(await reference(component));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("compares code points, not the code units of UTF-16", () => {
    const values = ["\uff5e", "\u{1f600}"];
    const [component] = componentsOf(values.map((value) => quad(a, p, text(value))).reverse());
    if (component === undefined) throw new Error("two quads of a node are a component");
    expect(textOf(component, [0]).match(/"."/gu)).toEqual(values.map((value) => `"${value}"`));
  });

  it("may use another hash", async () => {
    const [component] = componentsOf(DATASETS["a diamond"] ?? []);
    if (component === undefined) throw new Error("a diamond is a component");
    const numbers = byRdfc(component, (content) => hash("sha384", content, "hex"));
    expect(textOf(component, numbers)).toBe(await reference(component, 384));
  });

  it("takes equally many steps for isomorphic datasets, so that all of them end by it or none", () => {
    const steps = (quads: readonly Quad[]): readonly number[] =>
      componentsOf(quads)
        .map((component) => {
          const budget = new StepBudget(Infinity);
          rdfcNumbers(component, firstDegreeHashes(component, sha256), sha256, budget);
          return budget.spent;
        })
        .sort((x, y) => x - y);
    const anyPair = anyBlankQuads.chain((quads) =>
      fc.tuple(fc.constant(quads), anyIsomorphic(quads)),
    );
    fc.assert(
      fc.property(anyPair, ([one, other]) => {
        expect(steps(other)).toEqual(steps(one));
      }),
      { numRuns: 60 },
    );
  });

  it("ends at its budget for the poison of the suite, which the search then orders", () => {
    const [component] = componentsOf(clique(10));
    if (component === undefined) throw new Error("a clique is a component");
    expect(() => byRdfc(component)).toThrow(StepsExhausted);
    expect(new Set(canonicalNumbers(component, new StepBudget(1000)))).toEqual(new Set(upTo(10)));
  });
});

describe("the canonical order", () => {
  it("does not depend on labels or on the order of quads", () => {
    expectInvariance(40);
  });

  it("tells graphs apart in which every node looks alike", () => {
    const triangles = underHub([...ring(3, "a"), ...ring(3, "b")]);
    expect(textsOf(triangles, bySearch)).not.toEqual(textsOf(underHub(ring(6)), bySearch));
    expect(textsOf(rook(4), bySearch)).not.toEqual(textsOf(shrikhande(), bySearch));
  });

  it.each<[string, (size: number) => readonly Quad[], number]>([
    ["a chain", chain, 300],
    ["a ring", ring, 300],
    ["a grid", grid, 10],
    [
      "equal parts of one node",
      (size) => underHub(upTo(size).flatMap((at) => ring(5, `r${at}.`))),
      50,
    ],
    ["equal rings", (size) => upTo(size).flatMap((at) => ring(50, `r${at}.`)), 5],
    ["a clique", clique, 20],
  ])("takes steps in proportion to the quads of %s", (_, graph, size) => {
    const [small, large] = [graph(size), graph(4 * size)];
    const growth = stepsOf(large) / stepsOf(small) / (large.length / small.length);
    expect(growth).toBeLessThan(1.5);
    expect(stepsOf(large) / large.length).toBeLessThan(50);
  });

  it("takes few steps for strongly regular graphs", () => {
    for (const quads of [rook(6), shrikhande(), paley(29)]) {
      expect(stepsOf(quads) / quads.length).toBeLessThan(300);
    }
  });

  it("ends at its budget, whatever is made to be hard", () => {
    const hard = caiFurerImmerman(moebiusLadder(40));
    for (const component of componentsOf(hard)) {
      expect(() => canonicalNumbers(component, new StepBudget(100_000))).toThrow(StepsExhausted);
    }
  });
});
