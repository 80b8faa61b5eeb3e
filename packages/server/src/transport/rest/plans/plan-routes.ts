import {
  outputPageQuerySchema,
  plans as operations,
  planStateSchema,
  type StepExecution,
  stepExecutionSchema,
  submitPlanQuerySchema,
  submitPlanRequestSchema,
} from "@steward/operations";
import { dataOf } from "@steward/protocol/rest";
import * as z from "zod";
import type { Orchestrator } from "../../../plans/index.js";
import { checkedPlan, planChanges, planReads } from "../../operations/plans.js";
import { addOperationRoutes } from "../../operations/wires/rest-routes.js";
import { errors, json } from "../described-replies.js";
import { executedStep, submittedPlan } from "./plan-operations.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";

const tags = ["Plans"];
const stepParams = z.object({
  plan_id: z.string().describe("Id of the plan"),
  step_id: z.string().describe("Id of the step within its plan"),
});

/** The plan endpoints (Contract §4.2, Decision §9). */
export function addPlanRoutes(app: RestApp, orchestrator: Orchestrator): void {
  addSubmit(app, orchestrator);
  addOperationRoutes(app, planReads(orchestrator));
  addExecute(app, orchestrator);
  addOperationRoutes(app, planChanges(orchestrator));
}

function addSubmit(app: RestApp, orchestrator: Orchestrator): void {
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
        dataOf(operations.checkPlan.output),
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
        return reply.code(200).send({ data: await checkedPlan(orchestrator, body, context) });
      }
      const plan = await submittedPlan(orchestrator, body, context);
      return reply
        .code(201)
        .header("location", `/api/plans/${encodeURIComponent(plan.plan_id)}`)
        .send({ data: plan });
    },
  );
}

function addExecute(app: RestApp, orchestrator: Orchestrator): void {
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
      200: json("Result of the step", dataOf<StepExecution>(stepExecutionSchema)),
      ...errors(403, 404, 409, 501),
    },
  };
  app.post(
    "/api/plans/:plan_id/steps/:step_id/execute",
    { schema },
    async ({ params, query, context }) => {
      const step = { planId: params.plan_id, stepId: params.step_id, page: query };
      return { data: await executedStep(orchestrator, step, correctingRequest, context) };
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
