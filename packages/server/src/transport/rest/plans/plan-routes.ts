import {
  dataOf,
  outputPageQuerySchema,
  planCheckSchema,
  planPageQuerySchema,
  planPageSchema,
  planSchema,
  planStateSchema,
  stepExecutionSchema,
  submitPlanQuerySchema,
  submitPlanRequestSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { Orchestrator } from "../../../plans/index.js";
import { errors, json } from "../described-replies.js";
import { PlanOperations } from "./plan-operations.js";
import { addPlanRevisionRoutes } from "./plan-revision-routes.js";
import { addStepRoutes } from "./step-routes.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";

const tags = ["Plans"];
const planParams = z.object({ plan_id: z.string().describe("Id of the plan") });
const stepParams = z.object({
  plan_id: z.string().describe("Id of the plan"),
  step_id: z.string().describe("Id of the step within its plan"),
});

/** The plan endpoints (Contract §4.2, Decision §9). */
export function addPlanRoutes(app: RestApp, orchestrator: Orchestrator): void {
  const plans = new PlanOperations(orchestrator, correctingRequest);
  addSubmit(app, plans);
  addList(app, plans);
  addGet(app, plans);
  addExecute(app, plans);
  addCancel(app, plans);
  addRetry(app, plans);
  addPlanRevisionRoutes(app, plans);
  addStepRoutes(app, plans);
}

function addSubmit(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "submitPlan",
    summary: "Submit a plan",
    description:
      "Checks the plan and stores it with status pending. Nothing runs yet. With dry_run=true it is not stored: " +
      "the answer tells for each step what it touches, what the policies decide, and what it costs.",
    tags,
    querystring: submitPlanQuerySchema,
    body: submitPlanRequestSchema,
    response: {
      200: json(
        "What the plan would do, with dry_run=true; nothing is stored",
        dataOf(planCheckSchema),
      ),
      201: json("The plan is stored durably; Location names it", dataOf(planStateSchema)),
      ...errors(413, 422, 501),
    },
  };
  const headers = z.object({
    "idempotency-key": z
      .string()
      .exactOptional()
      .describe(
        "The same key with the same body gives the first answer again; with another body it is 422",
      ),
  });
  app.post(
    "/api/plans",
    {
      schema,
      config: { headers, tooLargeFix: "submit several smaller plans" },
      validatorCompiler: zodValidation("INVALID_PLAN"),
    },
    async ({ body, query, context }, reply) => {
      if (query.dry_run === "true") {
        return reply.code(200).send({ data: await plans.check(body, context) });
      }
      const plan = await plans.submit(body, context);
      return reply
        .code(201)
        .header("location", `/api/plans/${encodeURIComponent(plan.plan_id)}`)
        .send({ data: plan });
    },
  );
}

function addList(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "listPlans",
    summary: "List plans, newest first",
    description:
      "Plans of your organization without their steps, a page at a time. next_cursor leads to the next page.",
    tags,
    querystring: planPageQuerySchema,
    response: { 200: json("A page of plans", dataOf(planPageSchema)), ...errors(501) },
  };
  app.get("/api/plans", { schema }, async ({ query, context }) => {
    return { data: await plans.list(query, context) };
  });
}

function addGet(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "getPlan",
    summary: "Read a plan and its steps",
    description: "The plan and all its steps as last committed to the store.",
    tags,
    params: planParams,
    response: { 200: json("The plan as committed", dataOf(planSchema)), ...errors(404) },
  };
  app.get("/api/plans/:plan_id", { schema }, async ({ params, context }) => {
    return { data: await plans.get(params.plan_id, context) };
  });
}

function addExecute(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "executeStep",
    summary: "Execute a step",
    description:
      "Runs the step, joins its attempt under way, or returns its stored result, marked replayed. " +
      "A step that ran and failed is a result too: step_result.status is failed. With max_rows or " +
      "max_bytes a part of the output is returned; the same request with offset reads on and runs nothing.",
    tags,
    params: stepParams,
    querystring: outputPageQuerySchema,
    response: {
      200: json("Result of the step", dataOf(stepExecutionSchema)),
      ...errors(403, 404, 409, 501),
    },
  };
  app.post(
    "/api/plans/:plan_id/steps/:step_id/execute",
    { schema },
    async ({ params, query, context }) => {
      return { data: await plans.execute(params.plan_id, params.step_id, query, context) };
    },
  );
}

/** The request that corrects a step, as a client of REST sends it. */
function correctingRequest(planId: string, stepId: string): string {
  return (
    `send PATCH /api/plans/${planId}/steps/${stepId} with a corrected query_template ` +
    "(also intent or depends_on where they were wrong), and execute the step again"
  );
}

function addCancel(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "cancelPlan",
    summary: "Cancel a plan",
    description:
      "Interrupts the running steps and answers when all of them have stopped. Repeating it is " +
      "harmless; a completed or failed plan cannot be cancelled.",
    tags,
    params: planParams,
    response: {
      200: json("The plan is cancelled", dataOf(planStateSchema)),
      ...errors(404, 409, 501),
    },
  };
  app.delete("/api/plans/:plan_id", { schema }, async ({ params, context }) => {
    return { data: await plans.cancel(params.plan_id, context) };
  });
}

function addRetry(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "retryPlan",
    summary: "Retry a failed plan",
    description: "Completed steps keep their outputs; the others can be executed again.",
    tags,
    params: planParams,
    response: {
      200: json("The plan runs again", dataOf(planStateSchema)),
      ...errors(404, 409, 501),
    },
  };
  app.post("/api/plans/:plan_id/retry", { schema }, async ({ params, context }) => {
    return { data: await plans.retry(params.plan_id, context) };
  });
}
