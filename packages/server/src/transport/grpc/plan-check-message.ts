import type * as proto from "@steward/protocol/grpc";
import type { CheckedTable, DecidingPolicy, StepCheck } from "@steward/operations";
import type { PlanCheck } from "../../plans/index.js";
import { planCheckMessage } from "../plan-check-message.js";

/** What a plan would do, from the fields that REST tells. */
export function checkPlanMessage(check: PlanCheck): proto.CheckPlanResponse {
  const { verdict, aau, cost_usd: costUsd, steps, exceeded_budgets } = planCheckMessage(check);
  return {
    $typeName: "controlplane.v1.CheckPlanResponse",
    ...{ verdict, aau: BigInt(aau), costUsd },
    steps: steps.map(stepMessage),
    exceededBudgets: exceeded_budgets.map((budget) => ({
      $typeName: "controlplane.v1.ExceededBudget",
      ...budget,
    })),
  };
}

function stepMessage(step: StepCheck): proto.CheckPlanResponse["steps"][number] {
  const { rows_changed_max: rowsChangedMax, cost_usd: costUsd } = step;
  const { estimated_rows: rows, estimated_cost: cost } = step;
  return {
    $typeName: "controlplane.v1.StepCheck",
    stepId: step.step_id,
    toolName: step.tool_name,
    dataSource: step.data_source,
    intent: step.intent,
    statementClass: step.statement_class,
    tables: step.tables.map(tableMessage),
    functions: [...step.functions],
    verdict: step.verdict,
    reason: step.reason ?? "",
    policies: step.policies.map(policyMessage),
    aau: step.aau,
    problem: step.problem ?? "",
    hints: [...step.hints],
    ...(rowsChangedMax !== undefined && {
      rowsLimit: {
        $typeName: "controlplane.v1.RowsLimit",
        rowsChangedMax: BigInt(rowsChangedMax),
      },
    }),
    ...(costUsd !== undefined && { cost: { $typeName: "controlplane.v1.StepCost", costUsd } }),
    ...(rows !== undefined &&
      cost !== undefined && {
        estimate: { $typeName: "controlplane.v1.StepEstimate", rows, cost },
      }),
  };
}

type StepMessage = proto.CheckPlanResponse["steps"][number];

function tableMessage(table: CheckedTable): StepMessage["tables"][number] {
  const { name, reads, inserts, updates, deletes, defines } = table;
  return {
    $typeName: "controlplane.v1.CheckedTable",
    ...{ name, reads: [...reads], inserts: [...inserts], updates: [...updates], deletes, defines },
  };
}

function policyMessage(policy: DecidingPolicy): StepMessage["policies"][number] {
  const { id, reason = "", approval = "", approvals_min: approvalsMin = 0 } = policy;
  return { $typeName: "controlplane.v1.StepPolicy", id, reason, approval, approvalsMin };
}
