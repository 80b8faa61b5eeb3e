import { invalid, quoted, type PlanViolation } from "./violation.js";

/** The part of a step that the dependency order needs. */
export interface DependentStep {
  readonly id: string;
  /** Ids of the steps that must complete before it. */
  readonly dependsOn: readonly string[];
}

/** The path of a step in error messages, by the step's index. */
export type FieldOfStep = (index: number) => string;

/** The path of a step in a submission: `steps[2]`. */
export const fieldInPlan: FieldOfStep = (index) => `steps[${String(index)}]`;

/**
 * The nodes sorted so that each follows its dependencies, or a cycle that makes this impossible.
 */
export type DependencyOrder<T> =
  | { readonly kind: "sorted"; readonly nodes: readonly T[] }
  /** Ids, each depending on the next; the last equals the first. */
  | { readonly kind: "cycle"; readonly ids: readonly string[] };

/** The format of a step id (Decision §4). */
const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Maximum number of a cycle's steps that a message names. */
const CYCLE_STEPS_NAMED_MAX = 10;

/**
 * Violations in the ids and dependencies of a plan's steps (Decision §4): malformed and duplicate
 * ids; unknown, repeated and self dependencies; the first cycle, with its steps.
 */
export function* graphViolations(
  steps: readonly DependentStep[],
  fieldOf: FieldOfStep = fieldInPlan,
): Generator<PlanViolation, void> {
  const ids = new Map<string, number>();
  for (const [index, { id }] of steps.entries()) {
    const field = `${fieldOf(index)}.id`;
    const first = ids.get(id);
    if (!STEP_ID.test(id)) {
      yield invalid(field, `${quoted(id)} is not 1 to 64 letters, digits, "_" or "-"`);
    } else if (first !== undefined) {
      yield invalid(field, `${quoted(id)} is already the id of ${fieldOf(first)}`);
    }
    if (first === undefined) ids.set(id, index);
  }
  for (const [index, step] of steps.entries()) {
    yield* dependencyViolations(step, fieldOf(index), ids);
  }
  yield* cycleViolation(steps, ids, fieldOf);
}

function* dependencyViolations(
  step: DependentStep,
  field: string,
  ids: ReadonlyMap<string, number>,
): Generator<PlanViolation, void> {
  if (step.dependsOn.length === 0) return;
  const seen = new Set<string>();
  for (const [position, id] of step.dependsOn.entries()) {
    const reason =
      id === step.id
        ? "a step cannot depend on itself"
        : !ids.has(id)
          ? `there is no step ${quoted(id)} in this plan`
          : seen.has(id)
            ? `step ${quoted(id)} is listed twice`
            : undefined;
    seen.add(id);
    if (reason === undefined) continue;
    yield invalid(`${field}.depends_on[${String(position)}]`, reason);
  }
}

function* cycleViolation(
  steps: readonly DependentStep[],
  ids: ReadonlyMap<string, number>,
  fieldOf: FieldOfStep,
): Generator<PlanViolation, void> {
  const others = steps.map(({ id, dependsOn }) => ({
    id,
    dependsOn: dependsOn.filter((dependency) => dependency !== id),
  }));
  const order = sortByDependency(others, ({ id }) => id);
  if (order.kind === "sorted") return;
  const index = ids.get(order.ids[0] ?? "") ?? 0;
  yield {
    code: "PLAN_CYCLE",
    field: `${fieldOf(index)}.depends_on`,
    reason: `steps depend on each other in a cycle: ${cycleText(order.ids)}`,
  };
}

function cycleText(ids: readonly string[]): string {
  const more = ids.length - 1 - CYCLE_STEPS_NAMED_MAX;
  const named =
    more > 0
      ? [...ids.slice(0, CYCLE_STEPS_NAMED_MAX), `… ${String(more)} more …`, ...ids.slice(-1)]
      : ids;
  return named.join(" → ");
}

/**
 * Sorts nodes so that each follows its dependencies. The given order is kept, except that a node's
 * missing dependencies are placed right before it, in the order that the node lists them. Unknown
 * ids are ignored; of two nodes with one id the first is used.
 */
export function sortByDependency<T extends { readonly dependsOn: readonly string[] }>(
  nodes: readonly T[],
  idOf: (node: T) => string,
): DependencyOrder<T> {
  const byId = new Map<string, T>();
  for (const node of nodes.toReversed()) byId.set(idOf(node), node);
  const sorted = new Set<T>();
  for (const root of nodes) {
    // An explicit stack, so that a chain of a thousand steps cannot overflow the engine's own.
    const path: T[] = sorted.has(root) ? [] : [root];
    const dependenciesSeen = new Map<T, number>();
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const seen = dependenciesSeen.get(node) ?? 0;
      const dependency = node.dependsOn[seen];
      if (dependency === undefined) {
        sorted.add(node);
        path.pop();
        continue;
      }
      dependenciesSeen.set(node, seen + 1);
      const next = byId.get(dependency);
      if (next === undefined || sorted.has(next)) continue;
      if (dependenciesSeen.has(next)) {
        return { kind: "cycle", ids: [...path.slice(path.indexOf(next)), next].map(idOf) };
      }
      path.push(next);
    }
  }
  return { kind: "sorted", nodes: [...sorted] };
}
