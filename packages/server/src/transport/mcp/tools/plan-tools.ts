import * as z from "zod";
import { PLAN_STATUSES } from "@steward/operations";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { CANCEL_REASON_LENGTH_MAX } from "../../limits.js";
import { PLANS_PAGE_MAX } from "../../../plans/limits.js";
import type { StepDetail } from "../../../plans/index.js";
import { journalOf, stepDetailsOf } from "../../journal.js";
import { actionOf } from "../../operations.js";
import { asPlanId, asStepId } from "../../plan-ids.js";
import { present } from "../../../kernel/present.js";
import { PLAN_APP_URI } from "../plan-app.js";
import { defineTool, type McpTool, type ToolScope } from "../tool.js";
import { READS, maxBytes, maxRows, offset, planId } from "./fields.js";
import {
  planAnswerOfStep,
  planAnswerSchema,
  planAnswer,
  planText,
  planSummary,
  planSummarySchema,
  type PlanSummaryAnswer,
} from "./plan-answer.js";
import { REVISION_TOOLS } from "./revision-tools.js";
import { SUBMIT_PLAN } from "./submit-plan.js";

/** Default number of plans that list_plans returns. */
const PLANS_DEFAULT = 20;

/** Tools that submit, revise, show and end plans. */
export const PLAN_TOOLS: readonly McpTool[] = [
  SUBMIT_PLAN,
  ...REVISION_TOOLS,
  defineTool({
    name: "get_plan",
    title: "Read a plan",
    description:
      "Shows a plan, the status of each step, why a step failed, and which steps can be executed now. With step_id it " +
      "shows that step with its statement and the rows of its stored result, and runs nothing.",
    annotations: READS,
    app: PLAN_APP_URI,
    operations: ["getPlan"],
    usage: "read_select",
    input: z.strictObject({
      plan_id: planId,
      step_id: z.string().exactOptional().describe("Id of the only step to show, with its rows"),
      offset,
      max_rows: maxRows.describe("Only with step_id: rows to return at most"),
      max_bytes: maxBytes.describe("Only with step_id: bytes of rows to return at most"),
    }),
    output: planAnswerSchema,
    text: planText,
    run: async ({ step_id: stepId, ...input }, scope) => {
      const { context, services } = scope;
      const id = asPlanId(input.plan_id);
      const plan = await services.orchestrator.getPlan(id, context);
      if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${id}`);
      if (stepId !== undefined) {
        return planAnswerOfStep(plan, await stepDetail(id, asStepId(stepId), scope), input);
      }
      const field = (["max_rows", "max_bytes"] as const).find((name) => input[name] !== undefined);
      if (field !== undefined) throw invalidField(field, "is about rows: name the step_id too");
      return planAnswer(plan, input.offset);
    },
  }),
  defineTool({
    name: "list_plans",
    title: "List plans",
    description:
      "Lists plans of your organization, the newest first, without their steps. Use it to find a plan whose id you " +
      "do not have.",
    annotations: READS,
    operations: ["listPlans"],
    usage: "read_select",
    input: z.strictObject({
      status: z.enum(PLAN_STATUSES).exactOptional().describe("Only plans with this status"),
      session_id: z.string().exactOptional().describe("Only plans of this session"),
      limit: z
        .int()
        .min(1)
        .max(PLANS_PAGE_MAX)
        .exactOptional()
        .describe(`Plans to return at most; default ${String(PLANS_DEFAULT)}`),
      cursor: z.string().exactOptional().describe("next_cursor of the answer before"),
    }),
    output: z.object({
      plans: z.array(planSummarySchema).readonly().describe("The plans, the newest first"),
      next_cursor: z.string().optional().describe("cursor of the next call; absent at the end"),
    }),
    run: async (input, { context, services: { orchestrator } }) => {
      const { status, session_id: session, limit = PLANS_DEFAULT, cursor } = input;
      const { plans, nextCursor } = await journalOf(orchestrator).listPlans(
        present({ status, sessionId: session }),
        { limit, ...present({ cursor }) },
        context,
      );
      const fitting = plans.map(planSummary).map(withShortDescription);
      return {
        plans: fitting,
        ...present({ next_cursor: nextCursor }),
      };
    },
  }),
  defineTool({
    name: "cancel_plan",
    title: "Cancel a plan",
    description:
      "Ends a plan that is not over: running steps are interrupted, the others never run. What completed steps have " +
      "written stays. It answers when nothing of the plan runs any more.",
    annotations: { ...READS, readOnlyHint: false, destructiveHint: true },
    operations: ["cancelPlan"],
    usage: "write_update",
    input: z.strictObject({
      plan_id: planId,
      reason: z
        .string()
        .max(CANCEL_REASON_LENGTH_MAX)
        .exactOptional()
        .describe("Why, for the record"),
    }),
    output: z.object({ plan_id: planId, status: z.literal("cancelled") }),
    run: async (input, { context, services: { orchestrator } }) => {
      const id = asPlanId(input.plan_id);
      await orchestrator.cancelPlan(id, context, input.reason);
      return { plan_id: id, status: "cancelled" as const };
    },
  }),
];

/** A step with its rows, for which a caller needs the right to execute steps. */
async function stepDetail(
  planId: string,
  stepId: string,
  { context, services: { authorize, orchestrator } }: ToolScope,
): Promise<StepDetail> {
  await authorize(context, actionOf("getStep"));
  const detail = await stepDetailsOf(orchestrator).getStep(planId, stepId, context);
  if (detail !== undefined) return detail;
  throw new AppError(
    "STEP_NOT_FOUND",
    `Plan ${planId} has no step ${stepId}: get_plan without step_id lists them`,
  );
}

/** Characters of a description in a listing; get_plan shows all of it. */
const DESCRIPTION_SHOWN_LENGTH_MAX = 200;

function withShortDescription(plan: PlanSummaryAnswer): PlanSummaryAnswer {
  const { description } = plan;
  if (description.length <= DESCRIPTION_SHOWN_LENGTH_MAX) return plan;
  return { ...plan, description: `${description.slice(0, DESCRIPTION_SHOWN_LENGTH_MAX)}…` };
}
