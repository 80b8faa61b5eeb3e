import type { Approval } from "@steward/client";
import { approvalTexts } from "../texts/approvals.js";
import { Field } from "../ui/field.js";

/** How many rows a write may change at most: as many as its preview shows, unless the approver writes another number. */
export function RowsChoice(props: {
  readonly approval: Approval;
  /** A number as text; empty: the server answers whether one is needed. */
  readonly rows: string;
  readonly onChoose: (rows: string) => void;
}) {
  const { subject, plan_id: planId, preview } = props.approval;
  // Operations, whole plans and reads have no number of their own.
  if (planId === "" || subject.plan_steps !== undefined || subject.intent === "read_select") {
    return undefined;
  }
  return (
    <div className="mb-3">
      <Field
        id="rows"
        type="number"
        min={0}
        step={1}
        label={approvalTexts.rowsAtMost}
        hint={
          preview?.rows_changed === undefined ? approvalTexts.rowsUnknown : approvalTexts.rowsWiden
        }
        value={props.rows}
        onChange={(event) => {
          props.onChoose(event.target.value);
        }}
      />
    </div>
  );
}
