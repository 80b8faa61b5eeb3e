import fc from "fast-check";
import { expect } from "vitest";
import type { Quad } from "../../../index.js";
import { anyBlankQuads, anyIsomorphic, anySymmetric } from "../../testing/blank-graphs.js";
import { canonicalNumbers } from "../canonical-numbers.js";
import { canonicalOrder } from "../canonical-order.js";
import { type Component, componentsOf } from "../component.js";
import { sha256 } from "../digest.js";
import { firstDegreeHashes, sortedText } from "../first-degree.js";
import { graphOf } from "../graph.js";
import { StepBudget } from "../step-budget.js";

/** The component's quads, labelled by these numbers. */
export function textOf(component: Component, numbers: ArrayLike<number>): string {
  return sortedText(component.quads, (node) => `c14n${numbers[node] ?? 0}`);
}

/** The texts of a dataset's components, in order. */
export function textsOf(
  quads: readonly Quad[],
  numbersOf: (component: Component) => ArrayLike<number>,
): readonly string[] {
  return componentsOf(quads)
    .map((component) => textOf(component, numbersOf(component)))
    .sort();
}

/** Numbers nodes by a search, also where RDFC-1.0 would be cheap. */
export function bySearch(component: Component): readonly number[] {
  const { labels } = component;
  const graph = graphOf(component, firstDegreeHashes(component, sha256));
  const numbers = new Map<number, number>();
  for (const vertex of canonicalOrder(graph, new StepBudget(5_000_000))) {
    if (vertex < labels.length) numbers.set(vertex, numbers.size);
  }
  return labels.map((_, node) => numbers.get(node) ?? 0);
}

/** Checks that the numbering depends neither on labels nor on the order of quads. */
export function expectInvariance(numRuns: number): void {
  const anyPair = fc
    .oneof(anyBlankQuads, anySymmetric)
    .chain((quads) => fc.tuple(fc.constant(quads), anyIsomorphic(quads)));
  const chosen = (component: Component): Int32Array =>
    canonicalNumbers(component, new StepBudget(5_000_000));
  fc.assert(
    fc.property(anyPair, ([one, other]) => {
      for (const numbersOf of [bySearch, chosen]) {
        expect(textsOf(other, numbersOf)).toEqual(textsOf(one, numbersOf));
      }
    }),
    { numRuns },
  );
}
