import {
  appendStepsRequestSchema,
  dataOf,
  forkPlanRequestSchema,
  planRevisedSchema,
  reviseStepRequestSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { Orchestrator } from "../../../plans/index.js";
import { revisionsOf } from "../../journal.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";
import { planIdOf, stepIdOf } from "./path-ids.js";
import {
  planForkOf,
  planRevisedMessage,
  stepRevisionOf,
  stepsToAppendOf,
} from "./plan-messages.js";

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
export function addPlanRevisionRoutes(app: RestApp, orchestrator: Orchestrator): void {
  addAppend(app, orchestrator);
  addRevise(app, orchestrator);
  addFork(app, orchestrator);
}

function addAppend(app: RestApp, orchestrator: Orchestrator): void {
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
      const steps = stepsToAppendOf(body);
      const revised = await revisionsOf(orchestrator).appendSteps(planIdOf(params), steps, context);
      return { data: planRevisedMessage(revised) };
    },
  );
}

function addRevise(app: RestApp, orchestrator: Orchestrator): void {
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
      const [planId, stepId] = [planIdOf(params), stepIdOf(params)];
      const revision = stepRevisionOf(body);
      const revised = await revisionsOf(orchestrator).reviseStep(planId, stepId, revision, context);
      return { data: planRevisedMessage(revised) };
    },
  );
}

function addFork(app: RestApp, orchestrator: Orchestrator): void {
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
      const fork = planForkOf(body);
      const plan = await revisionsOf(orchestrator).forkPlan(planIdOf(params), fork, context);
      return reply
        .code(201)
        .header("location", `/api/plans/${encodeURIComponent(plan.planId)}`)
        .send({ data: planRevisedMessage(plan) });
    },
  );
}
