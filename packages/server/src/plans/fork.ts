import type { LoadedPlan } from "./engine/index.js";
import type { ForkOrigin, TakenStep } from "./plan-state.js";
import type { PreparedStep } from "./plan.js";

/**
 * The part of a plan that its fork takes over: its completed steps with where their results stand, but not the step that the
 * fork runs anew, nor those that depend on it. The results are referred to, so that nothing runs or counts twice.
 */
export function forkOrigin(
  { state, prepared, results }: Pick<LoadedPlan, "state" | "prepared" | "results">,
  stepId: string | undefined,
): ForkOrigin {
  const anew = stepId === undefined ? new Set<string>() : withDependents(prepared, stepId);
  const taken = state.steps.flatMap((step): TakenStep[] => {
    const result = results.get(step.index);
    if (step.status !== "completed" || result === undefined || anew.has(step.stepId)) return [];
    const { attempt, rowCount = 0, executedAtMs = 0 } = step;
    return [{ stepId: step.stepId, attempt, rowCount, executedAtMs, result }];
  });
  return { planId: state.planId, stepId, taken };
}

/** The steps of a fork, which begins at revision 1. */
export function forkedSteps(prepared: readonly PreparedStep[]): readonly PreparedStep[] {
  return prepared.map(({ revision: _former, authors: _authors, ...step }, index) => ({
    ...step,
    index,
  }));
}

/** A step and all that depend on it, on whatever way. */
function withDependents(prepared: readonly PreparedStep[], stepId: string): ReadonlySet<string> {
  const found = new Set([stepId]);
  const dependents = new Map<string, string[]>();
  for (const { id, dependsOn } of prepared) {
    for (const before of dependsOn) {
      const known = dependents.get(before);
      if (known === undefined) dependents.set(before, [id]);
      else known.push(id);
    }
  }
  // A set that grows is walked to its end.
  for (const id of found) for (const next of dependents.get(id) ?? []) found.add(next);
  return found;
}
