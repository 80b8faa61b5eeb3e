import type { ApprovedPlanStep } from "@steward/client";
import { Sql } from "../code/code.js";
import { approvalTexts } from "../texts/approvals.js";

/** The steps of a plan that is approved as a whole: what runs, with which values, and what waits again. */
export function PlanStepsView(props: { readonly steps: readonly ApprovedPlanStep[] }) {
  return (
    <ol className="space-y-4">
      {props.steps.map((step) => (
        <li key={step.step_id} className="rounded-lg border p-3">
          <p className="mb-2 flex flex-wrap gap-x-3 text-sm">
            <bdi className="font-medium">{step.step_id}</bdi>
            <span className="text-muted">
              {step.intent} – <bdi>{step.data_source}</bdi>
            </span>
            <span className={step.approval === "separate" ? "text-warn" : "text-muted"}>
              {approvalTexts.ofStep[step.approval]}
            </span>
          </p>
          <Sql sql={step.statement} />
          <ul className="mt-2 space-y-1 text-xs text-muted">
            {(step.values ?? []).map(({ text }, index) => (
              <li key={index} className="font-mono">
                {index + 1}: <bdi className="break-words">{text ?? "NULL"}</bdi>
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
                <bdi>{step.note}</bdi>
              </li>
            )}
          </ul>
        </li>
      ))}
    </ol>
  );
}
