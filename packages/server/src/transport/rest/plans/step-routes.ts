import { dataOf, outputPageQuerySchema, stepDetailSchema } from "@steward/protocol/rest";
import * as z from "zod";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import type { PlanOperations } from "./plan-operations.js";

/** The route that shows a single step. */
export function addStepRoutes(app: RestApp, plans: PlanOperations): void {
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
    return { data: await plans.getStep(params.plan_id, params.step_id, query, context) };
  });
}
