import { isoTime } from "../kernel/clock.js";
import type { StepExecution } from "./plan.js";
import type { StepContext, StepState } from "./transitions.js";

/**
 * What everybody who asks for this step gets, now and later: the same bytes each time (Decision §3).
 * @param context what its last attempt left; a cancelled attempt leaves nothing.
 * @returns `undefined` while the step is not over.
 */
export function executionOf(
  planId: string,
  step: StepState,
  context: StepContext | undefined,
): Omit<StepExecution, "replayed"> | undefined {
  const { status, stepId } = step;
  if (status !== "completed" && status !== "failed" && status !== "cancelled") return undefined;
  return {
    stepResult: {
      stepId,
      status,
      rowCount: step.rowCount ?? 0,
      executedAt: isoTime(step.executedAtMs ?? 0),
      attempt: step.attempt,
      ...(step.error === undefined ? {} : { error: step.error }),
    },
    llmContextUpdate: {
      planId,
      stepId,
      toolOutputJson: context?.toolOutputJson ?? "[]",
      schemaAdditions: context?.schemaAdditions ?? [],
      augmentationHints: context?.augmentationHints ?? [],
    },
  };
}
