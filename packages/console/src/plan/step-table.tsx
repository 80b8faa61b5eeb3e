import type { PlanStep } from "@steward/client";
import { memo, useCallback } from "react";
import { planTexts, stepTexts } from "../texts/plan.js";
import { AgentText } from "../ui/agent-text.js";
import { StatusBadge } from "../ui/badge.js";
import { Table, type Column } from "../ui/table.js";
import { Time } from "../ui/time.js";

/** Height of a row, in pixels: a step has its id and its name below each other. */
const ROW_HEIGHT = 44;

/** Always the same objects, so that only rows of steps that have changed are drawn again. */
const COLUMNS: readonly Column<PlanStep>[] = [
  {
    title: planTexts.columns.step,
    cell: (step) => (
      <>
        {/* The row opens the step, also when this button is clicked. */}
        <button type="button" className="block font-mono text-xs hover:underline">
          <AgentText>{step.step_id}</AgentText>
        </button>
        {step.name !== "" && (
          <span className="block text-xs text-muted">
            <AgentText>{step.name}</AgentText>
          </span>
        )}
      </>
    ),
  },
  {
    title: planTexts.columns.status,
    cell: (step) => <StatusBadge status={step.wait_reason ?? step.status} />,
  },
  { title: planTexts.columns.tool, cell: (step) => <AgentText>{step.tool_name}</AgentText> },
  { title: stepTexts.dataSource, cell: (step) => <AgentText>{step.data_source}</AgentText> },
  { title: planTexts.columns.intent, cell: (step) => step.intent },
  { title: planTexts.columns.after, cell: (step) => step.depends_on.join(", ") },
  { title: planTexts.columns.attempts, isNumber: true, cell: (step) => step.attempt },
  { title: planTexts.columns.rows, isNumber: true, cell: (step) => step.row_count },
  { title: planTexts.columns.ended, cell: (step) => <Time at={step.executed_at} /> },
];

/** The steps of a plan in the order of the plan, with the same facts as the graph and the waterfall. */
export const StepTable = memo(function StepTable(props: {
  readonly steps: readonly PlanStep[];
  readonly chosen: string | undefined;
  readonly onOpen: (stepId: string) => void;
}) {
  const { steps, chosen, onOpen } = props;
  const open = useCallback(
    (step: PlanStep) => {
      onOpen(step.step_id);
    },
    [onOpen],
  );
  return (
    <Table
      label={planTexts.steps}
      rowHeight={ROW_HEIGHT}
      rows={steps}
      keyOf={(step) => step.step_id}
      onOpen={open}
      isChosen={(step) => step.step_id === chosen}
      columns={COLUMNS}
    />
  );
});
