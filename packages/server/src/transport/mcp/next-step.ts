import type { ErrorCode } from "@steward/protocol";

/** What an LLM can do about an error, whichever tools it has. The messages of other codes say it themselves. */
const NEXT_STEPS: Readonly<Partial<Record<ErrorCode, string>>> = {
  APPROVAL_DENIED:
    "Tell the person whom you work for. Another statement needs an approval of its own.",
  POLICY_DENIED:
    "Leave out what is forbidden, or tell the person whom you work for. Do not look for another way to it.",
};

/** The same in the words of the tools of plans. */
const NEXT_STEPS_OF_PLANS: typeof NEXT_STEPS = {
  PLAN_NOT_FOUND: "list_plans lists the plans that you may see, with their ids.",
  STEP_NOT_FOUND: "get_plan lists the ids of a plan's steps.",
  BAD_PLACEHOLDER:
    "A placeholder names a step of the same plan that depends_on lists: submit_plan takes several steps.",
  STEP_DEPENDENCIES_NOT_MET:
    "get_plan names the steps that can run now as ready_steps, and the call that corrects a failed step.",
  STEP_NOT_REVISABLE:
    "append_steps adds a step; when the plan is over, fork_plan goes on from its results.",
  PLAN_NOT_ACTIVE:
    "get_plan shows the plan's status. When it is over, fork_plan goes on from it and keeps its results.",
  REVISION_CONFLICT: "get_plan shows the plan as it is now.",
};

/**
 * @param hasPlans whether the LLM has the tools of plans.
 * @returns `undefined` when the message of the error says what to do.
 */
export function nextStep(code: ErrorCode, hasPlans: boolean): string | undefined {
  return NEXT_STEPS[code] ?? (hasPlans ? NEXT_STEPS_OF_PLANS[code] : undefined);
}
