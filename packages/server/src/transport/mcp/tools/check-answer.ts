import * as z from "zod";
import type { PlanCheck, StepCheck } from "@steward/operations";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_MAX } from "../../limits.js";
import { pageWithin } from "../../paging/page-within.js";
import { present } from "../../../kernel/present.js";

const VERDICTS = ["permit", "approval", "deny"] as const;

/** What a plan would do, as the LLM reads it. */
export interface CheckAnswer extends Omit<PlanCheck, "steps"> {
  readonly steps: readonly StepCheckAnswer[];
  readonly steps_left_out: number;
}

/** What would happen to one step, as the LLM reads it. */
interface StepCheckAnswer {
  readonly step_id: string;
  readonly intent: string;
  readonly verdict: StepCheck["verdict"];
  readonly reason?: string | undefined;
  readonly tables: readonly string[];
  readonly estimated_rows?: number | undefined;
  readonly problem?: string | undefined;
  readonly hints: readonly string[];
}

const stepSchema = z.object({
  step_id: z.string().describe("Id of the step"),
  intent: z.string().describe("What the step may do, as declared or as its statement says"),
  verdict: z.enum(VERDICTS).describe("What the policies say of the step"),
  reason: z.string().optional().describe("Why it may not run, or who has to approve it"),
  tables: z.array(z.string()).readonly().describe("Tables that it touches"),
  estimated_rows: z.number().optional().describe("Rows that the planner expects"),
  problem: z.string().optional().describe("Why the database would refuse the statement now"),
  hints: z.array(z.string()).readonly().describe("How to correct it"),
});

export const checkAnswerSchema: z.ZodType<CheckAnswer> = z.object({
  verdict: z.enum(VERDICTS).describe("The strictest verdict of the steps"),
  aau: z.int().describe("Agentic activity units of all steps, each run once"),
  cost_usd: z.number().describe("Cost of all steps that have a price, in US dollars"),
  exceeded_budgets: z
    .array(z.object({ action: z.enum(["warn", "block"]), reason: z.string() }))
    .readonly()
    .describe("Budgets that do not cover the plan. block: some steps would be refused"),
  steps: z
    .array(stepSchema)
    .readonly()
    .describe("The steps; first those that may not run as they are, or have a problem"),
  steps_left_out: z.int().describe("Steps for which the answer has no room, all of them in order"),
});

/** What a plan would do, cut to the size of an answer. */
export function checkAnswer({ steps, ...check }: PlanCheck): CheckAnswer {
  const isOpen = ({ verdict, problem }: StepCheck) => verdict !== "permit" || problem !== undefined;
  const sorted = [...steps.filter(isOpen), ...steps.filter((step) => !isOpen(step))];
  const { items } = pageWithin(sorted.map(stepAnswer), {
    ...{ offset: 0, itemsMax: LLM_ROWS_MAX, bytesMax: LLM_ANSWER_BYTES_MAX },
  });
  return { ...check, steps: items, steps_left_out: steps.length - items.length };
}

function stepAnswer(step: StepCheck): StepCheckAnswer {
  const { step_id, intent, verdict, reason, tables, estimated_rows, problem, hints } = step;
  return {
    ...{ step_id, intent, verdict, tables: tables.map(({ name }) => name), hints },
    ...present({ reason, estimated_rows, problem }),
  };
}
