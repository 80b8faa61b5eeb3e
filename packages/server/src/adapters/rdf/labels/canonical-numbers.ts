import { canonicalOrder } from "./canonical-order.js";
import type { Component } from "./component.js";
import { type Digest, sha256 } from "./digest.js";
import { firstDegreeHashes } from "./first-degree.js";
import { graphOf } from "./graph.js";
import { rdfcNumbers } from "./rdfc.js";
import { StepBudget, StepsExhausted } from "./step-budget.js";

/**
 * Blank nodes of a component that RDFC-1.0 may have to tell apart by their surroundings. It searches from each of
 * them, so its time grows with the square of their number where they form a list. In its test suite there are 14.
 */
const RDFC_ALIKE_MAX = 16;
/** Steps that RDFC-1.0 may take for a component: some milliseconds. The hardest one of its test suite takes 3456. */
const RDFC_STEPS_MAX = 4000;

/**
 * Numbers a component's blank nodes such that nodes of isomorphic components that correspond to each other have the
 * same number: as RDFC-1.0 does where that is cheap, and in the order of {@link canonicalOrder} elsewhere. Which of
 * the two it is does not depend on how nodes are labelled or quads are ordered.
 * @returns by node: its number, from 0.
 * @throws StepsExhausted for components that are made to be hard.
 */
export function canonicalNumbers(
  component: Component,
  budget: StepBudget,
  digest: Digest = sha256,
): Int32Array {
  const size = component.labels.length;
  if (size === 1) return Int32Array.of(0);
  const first = firstDegreeHashes(component, digest);
  const numbers =
    countAlike(first) <= RDFC_ALIKE_MAX ? cheapRdfc(component, first, digest) : undefined;
  return numbers ?? searchedNumbers(component, first, budget);
}

/** How many texts are there more than once. */
function countAlike(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => counts.get(text) !== 1).length;
}

function cheapRdfc(
  component: Component,
  first: readonly string[],
  digest: Digest,
): Int32Array | undefined {
  try {
    return rdfcNumbers(component, first, digest, new StepBudget(RDFC_STEPS_MAX));
  } catch (error) {
    if (error instanceof StepsExhausted) return undefined;
    throw error;
  }
}

function searchedNumbers(
  component: Component,
  first: readonly string[],
  budget: StepBudget,
): Int32Array {
  const size = component.labels.length;
  const numbers = new Int32Array(size);
  let next = 0;
  for (const vertex of canonicalOrder(graphOf(component, first), budget)) {
    // Behind the nodes, the graph has vertices for quads.
    if (vertex < size) numbers[vertex] = next++;
  }
  return numbers;
}
