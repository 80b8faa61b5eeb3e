import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";
import type { Orchestrator, PlanRecord, QueryRuntimeContext } from "../../../plans/index.js";
import { revisionsOf } from "../../journal.js";
import { asPlanId } from "../../plan-ids.js";
import { present } from "../../../kernel/present.js";
import { planForkOf, stepsToAppendOf } from "../../rest/plans/plan-messages.js";
import { defineTool, type McpTool } from "../tool.js";
import { ADDS, planId } from "./fields.js";
import { idempotencyKey, planState, stateOf, stepsInput } from "./submit-plan.js";

/** The steps of a plan, whose fields the LLM knows from `submit_plan`. */
const moreSteps = stepsInput.meta({
  description: "Steps as submit_plan takes them",
  items: { type: "object" },
});

/** Tools that append steps to a plan, finish it, and go on from it in another one. */
export const REVISION_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "append_steps",
    title: "Append steps to a plan",
    description:
      "Adds steps to a plan that is not over, also when all of its steps have run. The new steps may depend on its " +
      "steps and use their output.",
    annotations: ADDS,
    operations: ["appendSteps"],
    usage: "write_insert",
    input: z.strictObject({
      plan_id: planId,
      steps: moreSteps,
      idempotency_key: idempotencyKey,
    }),
    output: z.object(planState),
    run: async ({ plan_id, steps, idempotency_key: key }, { context, services }) => {
      const { orchestrator } = services;
      const ctx = key === undefined ? context : { ...context, idempotencyKey: key };
      const id = asPlanId(plan_id);
      await revisionsOf(orchestrator).appendSteps(id, stepsToAppendOf({ steps }), ctx);
      return stateOf(await knownPlan(orchestrator, id, ctx));
    },
  }),
  defineTool({
    name: "fork_plan",
    title: "Go on from a plan in a new one",
    description:
      "Makes a new plan with the steps of another one, also of one that is over. Completed steps keep their results " +
      "and do not run again. Use it to try another way: correct the new plan's steps with execute_step.",
    annotations: ADDS,
    operations: ["forkPlan"],
    usage: "write_insert",
    input: z.strictObject({
      plan_id: planId,
      step_id: z
        .string()
        .exactOptional()
        .describe("The step to run anew, with those that depend on it"),
      steps: moreSteps.exactOptional(),
      idempotency_key: idempotencyKey,
    }),
    output: z.object(planState),
    run: async ({ plan_id, step_id, steps = [], idempotency_key: key }, { context, services }) => {
      const { orchestrator } = services;
      const ctx = key === undefined ? context : { ...context, idempotencyKey: key };
      const fork = planForkOf({ steps, ...present({ step_id }) });
      const forked = await revisionsOf(orchestrator).forkPlan(asPlanId(plan_id), fork, ctx);
      return stateOf(await knownPlan(orchestrator, forked.planId, ctx));
    },
  }),
  defineTool({
    name: "finish_plan",
    title: "Finish a plan",
    description:
      "Completes a plan whose steps have all completed and that needs no more of them. Until then it stays open, for " +
      "append_steps.",
    annotations: { ...ADDS, idempotentHint: true },
    operations: ["finishPlan"],
    usage: "write_insert",
    input: z.strictObject({ plan_id: planId }),
    output: z.object(planState),
    run: async ({ plan_id }, { context, services: { orchestrator } }) => {
      const id = asPlanId(plan_id);
      await revisionsOf(orchestrator).finishPlan(id, context);
      return stateOf(await knownPlan(orchestrator, id, context));
    },
  }),
];

async function knownPlan(
  orchestrator: Orchestrator,
  planId: string,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const plan = await orchestrator.getPlan(planId, ctx);
  if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
  return plan;
}
