import * as z from "zod";
import type { Infer } from "../operation.js";

/** The answers of policies about a step. */
export const VERDICTS = ["permit", "deny", "approval"] as const;

/** One of {@link VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

/** A table that a step touches, and how. All empty: the database could not tell yet. */
const checkedTable = z
  .object({
    name: z.string().describe("The table, in lower case; on PostgreSQL with its schema"),
    reads: z.array(z.string()).readonly().describe("Columns that are read"),
    inserts: z.array(z.string()).readonly().describe("Columns that are inserted"),
    updates: z.array(z.string()).readonly().describe("Columns that are updated"),
    deletes: z.boolean().describe("Whether rows are deleted"),
    defines: z.boolean().describe("Whether its definition is created, changed or dropped"),
  })
  .meta({ id: "CheckedTable", description: "A table that a step touches, and how" });

export type CheckedTable = Infer<typeof checkedTable>;

/** A policy that decided about a step. */
const decidingPolicy = z
  .object({
    id: z.string().describe("Id of the policy"),
    reason: z.string().exactOptional().describe("What the policy says of itself"),
    approval: z.string().exactOptional().describe("Who must approve what it forbids"),
    approvals_min: z
      .int()
      .exactOptional()
      .describe("How many of them must approve; absent when nobody can"),
  })
  .meta({ id: "StepPolicy", description: "A policy that decided about a step" });

export type DecidingPolicy = Infer<typeof decidingPolicy>;

/** The result of a check for one step. */
export const stepCheck = z
  .object({
    step_id: z.string().describe("Id of the step"),
    tool_name: z.string().describe("The tool that would run it"),
    data_source: z.string().describe("The data source it would run on"),
    intent: z.string().describe("Its intent, declared or derived"),
    statement_class: z.string().describe("What its statement does; the intent covers it"),
    tables: z.array(checkedTable).readonly().describe("The tables that it would touch"),
    functions: z
      .array(z.string())
      .readonly()
      .describe("Functions of the database that it calls, whose effects are unknown"),
    verdict: z
      .enum(VERDICTS)
      .describe(
        "permit: it may run; deny: it may not; approval: a person would have to approve it",
      ),
    reason: z.string().exactOptional().describe("Why it may not run as it is"),
    policies: z
      .array(decidingPolicy)
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
  })
  .meta({ id: "StepCheck", description: "What would happen to one step" });

export type StepCheck = Infer<typeof stepCheck>;

/** A budget that does not cover a plan. */
const exceededBudget = z
  .object({
    action: z
      .enum(["warn", "block"])
      .describe("block: calls beyond the budget are refused; warn: they run"),
    reason: z.string().describe("What is left and what is needed, in one sentence"),
  })
  .meta({ id: "ExceededBudget", description: "A budget that does not cover a plan" });

/** The result of a check: what would happen if the plan were submitted and run now (Decision §21). */
export const planCheck = z
  .object({
    verdict: z
      .enum(VERDICTS)
      .describe("The strictest of the steps: deny, else approval, else permit"),
    aau: z.int().describe("Agentic activity units of all steps, each run once"),
    cost_usd: z.number().describe("Cost of all steps that have a price, in US dollars"),
    exceeded_budgets: z
      .array(exceededBudget)
      .readonly()
      .describe("Budgets that do not cover the plan if each step runs once; nothing is reserved"),
    steps: z.array(stepCheck).readonly().describe("The steps, in the order of the plan"),
  })
  .meta({
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

export type PlanCheck = Infer<typeof planCheck>;
