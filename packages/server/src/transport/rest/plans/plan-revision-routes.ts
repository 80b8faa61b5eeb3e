import {
  appendStepsRequestSchema,
  dataOf,
  forkPlanRequestSchema,
  planRevisedSchema,
  planStateSchema,
  reviseStepRequestSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";
import type { PlanOperations } from "./plan-operations.js";

const tags = ["Plans"];
const planParams = z.object({ plan_id: z.string().describe("Id of the plan") });
const stepParams = planParams.extend({
  step_id: z.string().describe("Id of the step within its plan"),
});
const headers = z.object({
  "idempotency-key": z
    .string()
    .exactOptional()
    .describe("Same key and same request: the first answer again; another request: 422"),
});
const replies = {
  200: json("The plan is changed durably", dataOf(planRevisedSchema)),
  ...errors(403, 404, 409, 413, 422, 501),
};

/** The routes that change plans under way (Decision §19). */
export function addPlanRevisionRoutes(app: RestApp, plans: PlanOperations): void {
  addAppend(app, plans);
  addRevise(app, plans);
  addFork(app, plans);
  addFinish(app, plans);
}

function addAppend(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "appendSteps",
    summary: "Append steps to a plan",
    description:
      "Checks the steps as a submission does and adds them to a plan that is not over. They may depend on the steps that there are.",
    tags,
    params: planParams,
    body: appendStepsRequestSchema,
    response: replies,
  };
  app.post(
    "/api/plans/:plan_id/steps",
    {
      schema,
      config: { headers, tooLargeFix: "append fewer steps at once" },
      validatorCompiler: zodValidation("INVALID_PLAN"),
    },
    async ({ params, body, context }) => {
      return { data: await plans.append(params.plan_id, body, context) };
    },
  );
}

function addRevise(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "reviseStep",
    summary: "Revise a step",
    description:
      "Gives a step that has not run, or failed, another definition, checked as a submission is. " +
      "A plan that failed runs on: its failed and skipped steps can be executed again.",
    tags,
    params: stepParams,
    body: reviseStepRequestSchema,
    response: replies,
  };
  app.patch(
    "/api/plans/:plan_id/steps/:step_id",
    {
      schema,
      config: { headers, tooLargeFix: "shorten the statement" },
      validatorCompiler: zodValidation("INVALID_PLAN"),
    },
    async ({ params, body, context }) => {
      return { data: await plans.revise(params.plan_id, params.step_id, body, context) };
    },
  );
}

function addFork(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "forkPlan",
    summary: "Fork a plan",
    description:
      "Makes a new plan of the plan's steps, whatever its status. Completed steps keep their outputs and are " +
      "not run again, but for the step that is named and those that depend on it.",
    tags,
    params: planParams,
    body: forkPlanRequestSchema,
    response: {
      201: json("The new plan; Location names it", dataOf(planRevisedSchema)),
      ...errors(403, 404, 413, 422, 501),
    },
  };
  app.post(
    "/api/plans/:plan_id/fork",
    {
      schema,
      config: { headers, tooLargeFix: "append fewer steps at once" },
      validatorCompiler: zodValidation("INVALID_PLAN"),
    },
    async ({ params, body, context }, reply) => {
      const plan = await plans.fork(params.plan_id, body, context);
      return reply
        .code(201)
        .header("location", `/api/plans/${encodeURIComponent(plan.plan_id)}`)
        .send({ data: plan });
    },
  );
}

function addFinish(app: RestApp, plans: PlanOperations): void {
  const schema = {
    operationId: "finishPlan",
    summary: "Finish a plan that stays open",
    description:
      "Completes a plan that was submitted with keep_open, once all of its steps have completed. Repeating it is " +
      "harmless.",
    tags,
    params: planParams,
    response: {
      200: json("The plan is completed", dataOf(planStateSchema)),
      ...errors(404, 409, 501),
    },
  };
  app.post("/api/plans/:plan_id/finish", { schema }, async ({ params, context }) => {
    return { data: await plans.finish(params.plan_id, context) };
  });
}
