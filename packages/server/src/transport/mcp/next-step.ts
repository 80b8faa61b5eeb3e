import type { ErrorCode } from "@steward/protocol";

/** What an LLM can do about an error, in the words of its tools. The messages of other codes say it themselves. */
const NEXT_STEPS: Readonly<Partial<Record<ErrorCode, string>>> = {
  PLAN_NOT_FOUND: "list_plans lists the plans that you may see, with their ids.",
  STEP_NOT_FOUND: "get_plan lists the ids of a plan's steps.",
  BAD_PLACEHOLDER:
    "A placeholder names a step of the same plan that depends_on lists: submit_plan takes several steps.",
  STEP_DEPENDENCIES_NOT_MET:
    "get_plan names the steps that can run now as ready_steps, and the call that corrects a failed step.",
  STEP_NOT_REVISABLE:
    "submit_plan adds a step with append_to_plan_id; when the plan is over, fork_of_plan_id goes on from its results.",
  PLAN_NOT_ACTIVE:
    "get_plan shows the plan's status. When it is over, submit_plan with fork_of_plan_id goes on from it and keeps its results.",
  REVISION_CONFLICT: "get_plan shows the plan as it is now.",
  APPROVAL_DENIED:
    "Tell the person whom you work for. execute_step with another query_template asks for a new approval.",
  POLICY_DENIED:
    "Leave out what is forbidden, or tell the person whom you work for. Do not look for another way to it.",
};

/** @returns `undefined` when the message of the error says what to do. */
export function nextStep(code: ErrorCode): string | undefined {
  return NEXT_STEPS[code];
}
