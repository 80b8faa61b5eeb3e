import type {
  CheckedTable,
  DecidingPolicy,
  PlanCheck as PlanCheckMessage,
  StepCheck as StepCheckMessage,
  Verdict,
} from "@steward/operations";
import type { StatementRule, TouchedTable } from "../governance/index.js";
import type { PlanCheck, StepCheck } from "../plans/index.js";
import { present } from "../kernel/present.js";

/** What a plan would do, as REST and the command line tell it; gRPC has the same fields. */
export function planCheckMessage({ steps, exceededBudgets }: PlanCheck): PlanCheckMessage {
  return {
    verdict: strictest(steps.map(({ decision }) => decision.verdict)),
    aau: steps.reduce((sum, { quote }) => sum + quote.aau, 0),
    cost_usd: sumOf(steps.map(({ quote }) => quote.costUsd ?? 0)),
    exceeded_budgets: exceededBudgets,
    steps: steps.map(stepCheckMessage),
  };
}

/** Prices have nine decimal places; adding them as doubles would show more. */
function sumOf(dollars: readonly number[]): number {
  return Number(dollars.reduce((sum, amount) => sum + amount, 0).toFixed(9));
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("approval") ? "approval" : "permit";
}

/** What would happen to one step. */
export function stepCheckMessage(step: StepCheck): StepCheckMessage {
  const { decision, quote, estimate, problem, touched } = step;
  return {
    step_id: step.stepId,
    tool_name: step.toolName,
    data_source: step.dataSource,
    intent: step.intent,
    statement_class: step.statementClass,
    tables: (touched?.tables ?? []).map(checkedTable),
    functions: touched?.functions ?? [],
    verdict: decision.verdict,
    policies: decision.policies.map(policyMessage),
    aau: quote.aau,
    hints: problem?.hints ?? [],
    ...present({
      reason: decision.reason,
      rows_changed_max: decision.rowsChangedMax,
      cost_usd: quote.costUsd,
      estimated_rows: estimate?.rows,
      estimated_cost: estimate?.cost,
      problem: problem?.message,
    }),
  };
}

function policyMessage({ approvalsMin = 1, ...policy }: StatementRule): DecidingPolicy {
  return { ...policy, ...(policy.approval !== undefined && { approvals_min: approvalsMin }) };
}

function checkedTable({ name, accesses }: TouchedTable): CheckedTable {
  return {
    name,
    reads: accesses.read ?? [],
    inserts: accesses.insert ?? [],
    updates: accesses.update ?? [],
    deletes: accesses.delete !== undefined,
    defines: accesses.define !== undefined,
  };
}
