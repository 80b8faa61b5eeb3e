import type { StepDefinition } from "../plan.js";

/** Bytes of a stored step beside its statement, and of the plan's first event, roughly. */
const DEFINITION_BYTES = 512;

/**
 * Bytes that the definitions of steps will take, roughly: an exact number would need their JSON,
 * and the next measurement of the organization has it.
 */
export function definitionBytes(steps: readonly Pick<StepDefinition, "queryTemplate">[]): number {
  return steps.reduce(
    (sum, { queryTemplate }) => sum + DEFINITION_BYTES + 2 * queryTemplate.length,
    DEFINITION_BYTES,
  );
}
