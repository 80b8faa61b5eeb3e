import * as z from "zod";
import { sessionFor } from "@steward/kernel/caller.js";
import { asPlanId, asStepId } from "../../plan-ids.js";
import { defineTool, type McpTool } from "../tool.js";
import { intent, maxRows, offset, planId, sessionId, toolName } from "./fields.js";
import { stepAnswer, stepAnswerSchema } from "./step-answer.js";

/** Id of the one step of a plan that `query` makes. */
const QUERY_STEP = "query";

/** Tools that run statements. */
export const STEP_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "query",
    title: "Run one SQL statement",
    description:
      "Runs one SQL statement and returns its rows. Use it for a single question; use submit_plan when one statement " +
      "needs the output of another. The statement only reads unless you name another intent. The statement is stored " +
      "as a plan of one step, so plan_id and step_id of the answer lead to the result later. When the statement is " +
      "wrong, the hints name the column or table that was probably meant: correct the statement and call query again.",
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    operations: ["executeStep", "submitPlan"],
    usage: "step",
    input: z.strictObject({
      sql: z
        .string()
        .min(1)
        .describe("One SQL statement in the dialect of the database, without values from others"),
      intent: intent.exactOptional().describe(`${intent.description ?? ""}. Default read_select`),
      tool_name: toolName,
      max_rows: maxRows,
      session_id: sessionId,
    }),
    output: stepAnswerSchema,
    run: async (input, { context, services: { orchestrator } }) => {
      const step = {
        id: QUERY_STEP,
        name: "",
        toolName: input.tool_name ?? "",
        intent: input.intent ?? "read_select",
        queryTemplate: input.sql,
        dependsOn: [],
        schemaTableHints: [],
      };
      const { planId } = await orchestrator.createPlan(
        sessionFor(context, input.session_id ?? ""),
        { name: "query", description: "", steps: [step] },
        context,
      );
      return stepAnswer(await orchestrator.executeStep(planId, QUERY_STEP, context), input);
    },
  }),
  defineTool({
    name: "execute_step",
    title: "Execute a step of a plan",
    description:
      "Executes one step of a plan whose dependencies are completed, and returns its rows. Calling it again for a " +
      "finished step runs nothing and returns the stored result, so it is safe to repeat after a lost connection, and " +
      "with offset it reads the rest of a long result. Read the hints before you choose the next step.",
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    operations: ["executeStep"],
    usage: "step",
    input: z.strictObject({
      plan_id: planId,
      step_id: z.string().describe("Id of the step within its plan"),
      offset,
      max_rows: maxRows,
    }),
    output: stepAnswerSchema,
    run: async (input, { context, services: { orchestrator } }) => {
      const [plan, step] = [asPlanId(input.plan_id), asStepId(input.step_id)];
      return stepAnswer(await orchestrator.executeStep(plan, step, context), input);
    },
  }),
];
