import { AppError } from "@steward/kernel/errors.js";
import { STATE_LABEL_STEPS_MAX } from "../limits.js";
import {
  blank,
  blankLabels,
  hashOf,
  type ObjectTerm,
  quad,
  type Quad,
  type Term,
  tripleTerm,
} from "../index.js";
import { encodeTripleTerms } from "./encode-triple-terms.js";
import { canonicalNumbers } from "./labels/canonical-numbers.js";
import { type Component, componentsOf } from "./labels/component.js";
import { sortedText } from "./labels/first-degree.js";
import { StepBudget, StepsExhausted } from "./labels/step-budget.js";

/** Hexadecimal digits of a component's hash in its labels: 128 bits. */
const HASH_DIGITS = 32;

/**
 * Labels blank nodes by their content (Decision §13). A label consists of a hash and a number. The
 * hash is that of the canonical form of the connected component: the quads connected through blank
 * nodes. The number is the node's position in the component. So equal documents give equal quads,
 * and blank nodes of different documents stay distinct.
 * @throws AppError `LIMIT_EXCEEDED` when a component's nodes are too symmetric to be distinguished.
 */
export function labelBlankNodes(
  quads: readonly Quad[],
  stepsMax: number = STATE_LABEL_STEPS_MAX,
): readonly Quad[] {
  const budget = new StepBudget(stepsMax);
  const labels = new Map<string, string>();
  const copies = new Map<string, number>();
  for (const component of componentsOf(encodeTripleTerms(quads))) {
    const numbers = numbersOf(component, budget, stepsMax);
    const name = componentName(component, numbers);
    // Identical components are numbered, so that none of them disappears.
    const copy = copies.get(name) ?? 0;
    copies.set(name, copy + 1);
    const suffix = copy === 0 ? "" : `x${copy}`;
    component.labels.forEach((label, node) => {
      labels.set(label, `${name}n${numbers[node] ?? 0}${suffix}`);
    });
  }
  return labels.size === 0 ? quads : quads.map((one) => relabelled(one, labels));
}

function numbersOf(component: Component, budget: StepBudget, stepsMax: number): Int32Array {
  try {
    return canonicalNumbers(component, budget);
  } catch (error) {
    if (!(error instanceof StepsExhausted)) throw error;
    throw new AppError(
      "LIMIT_EXCEEDED",
      `content: ${component.labels.length} blank nodes that refer to each other are so similar that ` +
        `distinguishing them takes more than STATE_LABEL_STEPS_MAX (${stepsMax}) steps: give some of them IRIs, or each ` +
        "a property with a value of its own",
      { cause: error },
    );
  }
}

function componentName(component: Component, numbers: Int32Array): string {
  const text = sortedText(component.quads, (node) => `c14n${numbers[node] ?? 0}`);
  return `b${hashOf(Buffer.from(text)).slice(0, HASH_DIGITS)}`;
}

function relabelled(one: Quad, labels: ReadonlyMap<string, string>): Quad {
  if (blankLabels(one).length === 0) return one;
  const { subject, predicate, object, graph } = one;
  return quad(
    relabelledNode(subject, labels),
    predicate,
    relabelledObject(object, labels),
    relabelledNode(graph, labels),
  );
}

function relabelledObject(term: ObjectTerm, labels: ReadonlyMap<string, string>): ObjectTerm {
  if (term.termType !== "Quad") return relabelledNode(term, labels);
  const { subject, predicate, object } = term;
  return tripleTerm(relabelledNode(subject, labels), predicate, relabelledObject(object, labels));
}

function relabelledNode<T extends Term>(term: T, labels: ReadonlyMap<string, string>): T {
  const next = term.termType === "BlankNode" ? labels.get(term.value) : undefined;
  // A blank node is only replaced by a blank node.
  return next === undefined ? term : (blank(next) as T);
}
