/** The call that corrects a step, as an LLM makes it over MCP. */
export function correctingCall(planId: string, stepId: string): string {
  return (
    `call execute_step with plan_id "${planId}", step_id "${stepId}" and a corrected query_template ` +
    "(also intent or depends_on where they were wrong)"
  );
}
