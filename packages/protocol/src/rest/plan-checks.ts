import * as z from "zod";
import type { Message } from "./envelope.js";

/** The answers of policies about a step. */
export const VERDICTS = ["permit", "deny", "approval"] as const;

/** One of {@link VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

const submitPlanQueryShape = {
  dry_run: z
    .enum(["true", "false"])
    .exactOptional()
    .describe("true: tells what the plan would do (200, PlanCheck), and stores nothing"),
};

/** The query of `POST /api/plans`. */
export interface SubmitPlanQuery extends Message<typeof submitPlanQueryShape> {}

export const submitPlanQuerySchema: z.ZodType<SubmitPlanQuery> =
  z.strictObject(submitPlanQueryShape);

const checkedTableShape = {
  name: z.string().describe("The table, in lower case; on PostgreSQL with its schema"),
  reads: z.array(z.string()).readonly().describe("Columns that are read"),
  inserts: z.array(z.string()).readonly().describe("Columns that are inserted"),
  updates: z.array(z.string()).readonly().describe("Columns that are updated"),
  deletes: z.boolean().describe("Whether rows are deleted"),
  defines: z.boolean().describe("Whether its definition is created, changed or dropped"),
};

/** A table that a step touches, and how. All empty: the database could not tell yet. */
export interface CheckedTable extends Message<typeof checkedTableShape> {}

const checkedTableSchema: z.ZodType<CheckedTable> = z
  .object(checkedTableShape)
  .meta({ id: "CheckedTable", description: "A table that a step touches, and how" });

const decidingPolicyShape = {
  id: z.string().describe("Id of the policy"),
  reason: z.string().exactOptional().describe("What the policy says of itself"),
  approval: z.string().exactOptional().describe("Who must approve what it forbids"),
  approvals_min: z
    .int()
    .exactOptional()
    .describe("How many of them must approve; absent when nobody can"),
};

/** A policy that decided about a step. */
export interface DecidingPolicy extends Message<typeof decidingPolicyShape> {}

const decidingPolicySchema: z.ZodType<DecidingPolicy> = z
  .object(decidingPolicyShape)
  .meta({ id: "StepPolicy", description: "A policy that decided about a step" });

const stepCheckShape = {
  step_id: z.string().describe("Id of the step"),
  tool_name: z.string().describe("The tool that would run it"),
  data_source: z.string().describe("The data source it would run on"),
  intent: z.string().describe("Its intent, declared or derived"),
  statement_class: z.string().describe("What its statement does; the intent covers it"),
  tables: z.array(checkedTableSchema).readonly().describe("The tables that it would touch"),
  functions: z
    .array(z.string())
    .readonly()
    .describe("Functions of the database that it calls, whose effects are unknown"),
  verdict: z
    .enum(VERDICTS)
    .describe("permit: it may run; deny: it may not; approval: a person would have to approve it"),
  reason: z.string().exactOptional().describe("Why it may not run as it is"),
  policies: z
    .array(decidingPolicySchema)
    .readonly()
    .describe("The policies that decide; empty when no policy permits it"),
  rows_changed_max: z.int().exactOptional().describe("Rows that policies let it change at most"),
  aau: z.int().describe("Agentic activity units of one attempt"),
  cost_usd: z.number().exactOptional().describe("Cost in US dollars; absent: no price applies"),
  estimated_rows: z
    .number()
    .exactOptional()
    .describe("Rows that the database's planner expects; absent where it makes no estimate"),
  estimated_cost: z
    .number()
    .exactOptional()
    .describe("The planner's cost in its own unit, for comparing statements"),
  problem: z
    .string()
    .exactOptional()
    .describe("Why the database would refuse it now; an earlier step may still change that"),
  hints: z.array(z.string()).readonly().describe("How to repair the problem"),
};

/** The result of a check for one step. */
export interface StepCheck extends Message<typeof stepCheckShape> {}

export const stepCheckSchema: z.ZodType<StepCheck> = z
  .object(stepCheckShape)
  .meta({ id: "StepCheck", description: "What would happen to one step" });

const exceededBudgetShape = {
  action: z
    .enum(["warn", "block"])
    .describe("block: calls beyond the budget are refused; warn: they run"),
  reason: z.string().describe("What is left and what is needed, in one sentence"),
};

/** A budget that does not cover a plan. */
export interface ExceededBudget extends Message<typeof exceededBudgetShape> {}

const exceededBudgetSchema: z.ZodType<ExceededBudget> = z
  .object(exceededBudgetShape)
  .meta({ id: "ExceededBudget", description: "A budget that does not cover a plan" });

const planCheckShape = {
  verdict: z
    .enum(VERDICTS)
    .describe("The strictest of the steps: deny, else approval, else permit"),
  aau: z.int().describe("Agentic activity units of all steps, each run once"),
  cost_usd: z.number().describe("Cost of all steps that have a price, in US dollars"),
  exceeded_budgets: z
    .array(exceededBudgetSchema)
    .readonly()
    .describe("Budgets that do not cover the plan if each step runs once; nothing is reserved"),
  steps: z.array(stepCheckSchema).readonly().describe("The steps, in the order of the plan"),
};

/** The result of a check: what would happen if the plan were submitted and run now (Decision §21). */
export interface PlanCheck extends Message<typeof planCheckShape> {}

export const planCheckSchema: z.ZodType<PlanCheck> = z.object(planCheckShape).meta({
  id: "PlanCheck",
  description: "What a plan would do; nothing of it is stored",
  examples: [
    {
      verdict: "permit",
      aau: 1,
      cost_usd: 0.002,
      exceeded_budgets: [],
      steps: [
        {
          step_id: "open_orders",
          tool_name: "sql",
          data_source: "default",
          intent: "read_select",
          statement_class: "read_select",
          tables: [
            {
              name: "public.orders",
              reads: ["id", "status"],
              inserts: [],
              updates: [],
              deletes: false,
              defines: false,
            },
          ],
          functions: [],
          verdict: "permit",
          policies: [{ id: "analyst-reads" }],
          aau: 1,
          cost_usd: 0.002,
          estimated_rows: 12,
          estimated_cost: 35.5,
          hints: [],
        },
      ],
    },
  ],
});
