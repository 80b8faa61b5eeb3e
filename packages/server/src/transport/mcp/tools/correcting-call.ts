import type { StepExecution } from "../../../plans/index.js";

/** The call that corrects a step, as an LLM makes it over MCP. */
export function correctingCall(planId: string, stepId: string): string {
  return (
    `call ${executingCall(planId, stepId)} and a corrected query_template ` +
    "(also intent or depends_on where they were wrong)"
  );
}

/** The call that executes a step, or reads its stored result. */
export function executingCall(planId: string, stepId: string): string {
  return `execute_step with plan_id "${planId}", step_id "${stepId}"`;
}

/** The call that reads the result of `query`. */
export function resultCall(planId: string): string {
  return `get_result with plan_id "${planId}"`;
}

/** The call that reads the rows of an executed step from an offset on. */
export function readStepOn({ llmContextUpdate: { planId, stepId } }: StepExecution): string {
  return executingCall(planId, stepId);
}
