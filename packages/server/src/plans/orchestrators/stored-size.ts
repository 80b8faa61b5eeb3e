import { TOOL_CALL_OUTPUT_BYTES_MAX } from "../../kernel/tool-call.js";
import type { StepOutcome } from "../plan-state.js";
import type { StepDefinition } from "../plan.js";

/** Bytes of a stored step beside its statement, and of the plan's first event, roughly. */
const DEFINITION_BYTES = 512;
/** Bytes of the events, the record and the usage row of an attempt, roughly. */
const ATTEMPT_BYTES = 4096;

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

/**
 * Bytes that the end of an attempt has stored, roughly. The start of its output is also in the
 * record of the tool call and in the memory.
 */
export function attemptBytes(outcome: StepOutcome): number {
  const output = "context" in outcome ? outcome.context.toolOutputJson.length : 0;
  return ATTEMPT_BYTES + output + 2 * Math.min(output, TOOL_CALL_OUTPUT_BYTES_MAX);
}
