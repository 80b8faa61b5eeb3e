import type { ApprovedPlanStep } from "@steward/client";
import { Sql } from "../code/code.js";
import { approvalTexts } from "../texts/approvals.js";
import { AgentText } from "../ui/agent-text.js";

/** The steps of a plan that is approved as a whole: what runs, with which values, and what waits again. */
export function PlanStepsView(props: { readonly steps: readonly ApprovedPlanStep[] }) {
  return (
    <ol className="space-y-4">
      {props.steps.map((step) => (
        <li key={step.step_id} className="rounded-lg border p-3">
          <p className="mb-2 flex flex-wrap gap-x-3 text-sm">
            <AgentText className="font-medium">{step.step_id}</AgentText>
            <span className="text-muted">
              {step.intent} – <AgentText>{step.data_source}</AgentText>
            </span>
            <span className={step.approval === "separate" ? "text-warn" : "text-muted"}>
              {approvalTexts.ofStep[step.approval]}
            </span>
          </p>
          <Sql sql={step.statement} />
          <ul className="mt-2 space-y-1 text-xs text-muted">
            {(step.values ?? []).map(({ text }, index) => (
              <li key={index} className="font-mono">
                {index + 1}: <AgentText className="break-words">{text ?? "NULL"}</AgentText>
              </li>
            ))}
            {(step.values_from ?? []).map((from, index) => (
              <li key={index}>{approvalTexts.valueFrom(index + 1, from)}</li>
            ))}
            {(step.tables ?? []).map(({ name, accesses }) => (
              <li key={name}>
                {approvalTexts.table(name)}: {accesses.join(", ")}
              </li>
            ))}
            {step.estimated_rows !== undefined && (
              <li>{approvalTexts.estimated(step.estimated_rows)}</li>
            )}
            {step.note !== undefined && (
              <li>
                <AgentText>{step.note}</AgentText>
              </li>
            )}
          </ul>
        </li>
      ))}
    </ol>
  );
}
