import { dataOf, outputPageQuerySchema, stepDetailSchema } from "@steward/protocol/rest";
import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";
import type { Orchestrator } from "../../../plans/index.js";
import { stepDetailsOf } from "../../journal.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { planIdOf, stepIdOf } from "./path-ids.js";
import { stepDetailMessage } from "./plan-messages.js";

/** The route that shows a single step. */
export function addStepRoutes(app: RestApp, orchestrator: Orchestrator): void {
  const schema = {
    operationId: "getStep",
    summary: "Read a step",
    description:
      "The step's template and statement with the bound values, what the policies decide about it for you now, " +
      "what an attempt costs, and the stored answer to its execution. Nothing runs. " +
      "max_rows, max_bytes and offset choose the part of the output, as in the execution of a step.",
    tags: ["Plans"],
    params: z.object({
      plan_id: z.string().describe("Id of the plan"),
      step_id: z.string().describe("Id of the step within its plan"),
    }),
    querystring: outputPageQuerySchema,
    response: {
      200: json("The step as committed", dataOf(stepDetailSchema)),
      ...errors(404, 501),
    },
  };
  app.get("/api/plans/:plan_id/steps/:step_id", { schema }, async ({ params, query, context }) => {
    const [planId, stepId] = [planIdOf(params), stepIdOf(params)];
    const detail = await stepDetailsOf(orchestrator).getStep(planId, stepId, context);
    if (detail === undefined) {
      throw new AppError("STEP_NOT_FOUND", `There is no step ${stepId} of a plan ${planId}`);
    }
    return { data: stepDetailMessage(detail, query) };
  });
}
