import { canonicalOrder } from "./canonical-order.js";
import type { Component } from "./component.js";
import { sha256 } from "./digest.js";
import { firstDegreeHashes } from "./first-degree.js";
import { graphOf } from "./graph.js";
import { rdfcNumbers } from "./rdfc.js";
import { StepBudget, StepsExhausted } from "./step-budget.js";

/**
 * RDFC-1.0 is used for at most this number of blank nodes with equal first-degree hashes. RDFC-1.0
 * starts a search at each of them: for a list, its time is quadratic in their number. The largest
 * number in the test suite of RDFC-1.0 is 14.
 */
const RDFC_ALIKE_MAX = 16;
/**
 * Maximum number of steps of RDFC-1.0 for one component, which take a few milliseconds. The hardest
 * component of the test suite of RDFC-1.0 needs 3456.
 */
const RDFC_STEPS_MAX = 4000;

/**
 * Numbers a component's blank nodes canonically: corresponding nodes of isomorphic components get
 * the same number. RDFC-1.0 is used where it is cheap, and {@link canonicalOrder} elsewhere. The
 * choice does not depend on labels or on the order of quads.
 * @returns by node: its number, from 0.
 * @throws StepsExhausted for adversarial components.
 */
export function canonicalNumbers(component: Component, budget: StepBudget): Int32Array {
  const size = component.labels.length;
  if (size === 1) return Int32Array.of(0);
  const first = firstDegreeHashes(component, sha256);
  const numbers = countAlike(first) <= RDFC_ALIKE_MAX ? cheapRdfc(component, first) : undefined;
  return numbers ?? searchedNumbers(component, first, budget);
}

/** Number of texts that occur more than once. */
function countAlike(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => counts.get(text) !== 1).length;
}

function cheapRdfc(component: Component, first: readonly string[]): Int32Array | undefined {
  try {
    return rdfcNumbers(component, first, sha256, new StepBudget(RDFC_STEPS_MAX));
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
    // The graph's vertices after the nodes represent quads.
    if (vertex < size) numbers[vertex] = next++;
  }
  return numbers;
}
