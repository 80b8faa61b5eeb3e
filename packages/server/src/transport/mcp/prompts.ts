import { shownText } from "@steward/kernel/shown-text.js";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { readResource } from "./resources.js";
import type { ToolScope } from "./tool.js";

/** The prompts, in a stable order: people pick them from a menu. */
export const PROMPTS: readonly Prompt[] = [
  {
    name: "write_plan",
    title: "Write a plan",
    description: "Has the agent explore the data and submit a plan for a task",
    arguments: [
      { name: "task", description: "What the plan has to achieve, in plain words", required: true },
    ],
  },
  {
    name: "repair_plan",
    title: "Repair a failed plan",
    description: "Has the agent find out why a plan failed and carry out what is left of it",
    arguments: [{ name: "plan_id", description: "Id of the failed plan", required: true }],
  },
];

/**
 * @param name of one of {@link PROMPTS}.
 * @throws ProtocolError for a missing argument; AppError for a plan that cannot be read.
 */
export async function getPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  scope: ToolScope,
): Promise<GetPromptResult> {
  if (name === "write_plan") return said(writePlan(argument(given, "task")));
  const planId = argument(given, "plan_id");
  const { contents } = await readResource(`plan://${encodeURIComponent(planId)}`, scope);
  return {
    messages: [
      ...said(REPAIR_PLAN).messages,
      ...contents.map((resource) => ({
        role: "user" as const,
        content: { type: "resource" as const, resource },
      })),
    ],
  };
}

function writePlan(task: string): string {
  return `Carry out this task with Steward: ${task}

1. Find and describe the tables with explore_data, and search_memory for statements that worked on similar tasks.
2. Write down the steps: one SQL statement each, what it reads from earlier steps, and its intent. Prefer few steps.
   Let the database filter, join and add up; do not fetch rows to do that yourself.
3. Call submit_plan with the steps that you know. Use {{step.<id>.output[0].<column>}} for values of earlier steps and name those steps in
   depends_on. When it is refused, correct every field that the details name and submit again.
4. Call execute_step for each of the ready_steps, and read the hints before the next one. When a step fails, call
   execute_step for it again with a corrected query_template. When more steps are needed, append them with
   append_steps.
5. Answer from the rows that you have received. Say so when a result was cut or a step failed.`;
}

const REPAIR_PLAN = `The plan below failed. Find out why and carry out what is left of it.

1. Look at "failure" of the failed step. get_plan with its step_id shows its statement. Its hints, which execute_step
   returns again for that step, often name the column or table that was meant. Check the names with explore_data.
2. Completed steps have done their work and are not to be repeated, above all those that write. Read their rows with
   get_plan and step_id.
3. Call execute_step for the failed step with a corrected query_template, and with intent or depends_on where these were
   wrong. The plan then runs on: call execute_step for its ready_steps, which get_plan names. A plan that was cancelled
   cannot run on: submit a new one.
4. Do not repeat a step with the error OUTCOME_UNKNOWN before you have checked in the data whether it took effect.`;

function argument(given: Readonly<Record<string, string>>, name: string): string {
  const value = given[name]?.trim() ?? "";
  if (value === "") throw invalid(`${name}: is missing`);
  return value;
}

function said(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text: shownText(text) } }] };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
