import type { ApprovalPreview } from "@steward/client";
import { RotateCw } from "lucide-react";
import { approvalTexts } from "../texts/approvals.js";
import { AgentText } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { Section } from "../ui/facts.js";

/** Characters of a value that are drawn. */
const VALUE_LENGTH_MAX = 500;

type Change = NonNullable<ApprovalPreview["changes"]>[number];

/** The preview of a waiting write: each row before and after, with the differences marked. */
export function PreviewView(props: {
  readonly preview: ApprovalPreview;
  readonly isReading: boolean;
  readonly onRefresh: () => void;
}) {
  const { preview, isReading, onRefresh } = props;
  const { rows_changed: rows, estimated_rows: estimated, changes = [], notes = [] } = preview;
  return (
    <Section
      title={approvalTexts.wouldChange}
      actions={
        <Button look="quiet" size="small" disabled={isReading} onClick={onRefresh}>
          <RotateCw size={13} aria-hidden />
          {approvalTexts.refresh}
        </Button>
      }
    >
      {preview.unavailable !== undefined && (
        <p className="text-sm text-muted">{preview.unavailable}</p>
      )}
      {rows !== undefined && (
        <p className="text-sm font-medium" role="status">
          {approvalTexts.rowsChanged(rows)}
        </p>
      )}
      {estimated !== undefined && (
        <p className="text-sm text-muted">{approvalTexts.estimated(estimated)}</p>
      )}
      {notes.map((note) => (
        <p key={note} className="mt-1 text-sm text-warn">
          <AgentText>{note}</AgentText>
        </p>
      ))}
      <ol className="mt-2 space-y-2">
        {changes.map((change, index) => (
          <li key={index}>
            <ChangedRow change={change} />
          </li>
        ))}
      </ol>
      {preview.is_cut === true && (
        <p className="mt-1 text-sm text-warn">{approvalTexts.moreRows(changes.length)}</p>
      )}
    </Section>
  );
}

function ChangedRow({ change: { table, before, after } }: { readonly change: Change }) {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const kind = before === undefined ? "insert" : after === undefined ? "delete" : "update";
  return (
    <div
      className="overflow-x-auto rounded-lg border"
      role="region"
      aria-label={approvalTexts.rowOf(table)}
      tabIndex={0}
    >
      <table className="w-full text-left text-xs">
        <thead className="bg-raised">
          <tr className="border-b">
            <th scope="col" className="px-3 py-1.5 font-medium">
              <AgentText>{table}</AgentText> · {approvalTexts.kinds[kind]}
            </th>
            {before !== undefined && (
              <th scope="col" className="px-3 py-1.5 font-medium">
                {approvalTexts.before}
              </th>
            )}
            {after !== undefined && (
              <th scope="col" className="px-3 py-1.5 font-medium">
                {approvalTexts.after}
              </th>
            )}
          </tr>
        </thead>
        <tbody className="font-mono">
          {columns.map((column) => {
            const [old, next] = [valueText(before?.[column]), valueText(after?.[column])];
            const isChanged = kind === "update" && old !== next;
            return (
              <tr key={column} className="border-b last:border-b-0">
                <th scope="row" className="px-3 py-1 font-normal text-muted">
                  <AgentText>{column}</AgentText>
                </th>
                {before !== undefined && (
                  <td
                    className={
                      isChanged || kind === "delete"
                        ? "bg-bad-soft px-3 py-1 text-bad"
                        : "px-3 py-1"
                    }
                  >
                    <AgentText className="break-words">{old}</AgentText>
                  </td>
                )}
                {after !== undefined && (
                  <td
                    className={
                      isChanged || kind === "insert"
                        ? "bg-good-soft px-3 py-1 text-good"
                        : "px-3 py-1"
                    }
                  >
                    <AgentText className="break-words">{next}</AgentText>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
