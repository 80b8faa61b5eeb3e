import { parseOrdered } from "@steward/client";
import { useMemo } from "react";
import { csvOf } from "../data/export.js";
import { stepTexts } from "../texts/plan.js";
import { AgentText } from "../ui/agent-text.js";
import { CopyButton } from "../ui/copy.js";
import { useRowWindow } from "../ui/row-window.js";

/** Height of a row, and width of a column, in pixels. */
const ROW_HEIGHT = 30;
const COLUMN_WIDTH = 160;
/** Characters of a cell that are drawn; copying takes all of them. */
const CELL_LENGTH_MAX = 500;

type Row = Readonly<Record<string, unknown>>;

/** The rows of an output with the types of their values; only those that can be seen are in the document. */
export function RowsGrid({ json }: { readonly json: string }) {
  const rows = useMemo(() => rowsOf(json), [json]);
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const list = useRowWindow(rows.length, ROW_HEIGHT);
  if (rows.length === 0) return <p className="text-sm text-muted">{stepTexts.noRows}</p>;
  const template = {
    gridTemplateColumns: `3rem repeat(${columns.length}, minmax(${COLUMN_WIDTH}px, 1fr))`,
  };
  const names = columns.map(({ name }) => name);
  return (
    <>
      <div className="mb-1 flex justify-end">
        <CopyButton text={() => csvOf(names, rows)} label={stepTexts.copyCsv} />
        <CopyButton text={() => JSON.stringify(rows, null, 2)} label={stepTexts.copyJson} />
      </div>
      <div
        ref={list.scroller}
        role="table"
        aria-label={stepTexts.rows}
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg border text-xs"
      >
        <div className="w-max min-w-full">
          <div role="row" className="sticky top-0 z-10 grid border-b bg-raised" style={template}>
            <span role="columnheader" className="px-2 py-1.5 text-right text-muted">
              #
            </span>
            {columns.map(({ name, type }) => (
              <span key={name} role="columnheader" className="truncate px-2 py-1.5 font-medium">
                <AgentText>{name}</AgentText> <span className="font-normal text-muted">{type}</span>
              </span>
            ))}
          </div>
          <div role="rowgroup" className="relative" style={{ height: list.height }}>
            {list.rows.map((index) => (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                className="absolute inset-x-0 grid items-center border-b hover:bg-hover"
                style={{
                  ...template,
                  height: ROW_HEIGHT,
                  transform: `translateY(${list.topOf(index)}px)`,
                }}
              >
                <span role="cell" className="px-2 text-right text-muted tabular-nums">
                  {index + 1}
                </span>
                {names.map((name) => (
                  <Cell key={name} value={rows[index]?.[name]} />
                ))}
              </div>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <span role="cell" className="px-2 font-mono text-muted italic">
        NULL
      </span>
    );
  }
  const isNumber = typeof value === "number";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (
    <span
      role="cell"
      className={
        isNumber ? "truncate px-2 text-right font-mono tabular-nums" : "truncate px-2 font-mono"
      }
    >
      <AgentText>{text.slice(0, CELL_LENGTH_MAX)}</AgentText>
    </span>
  );
}

/** The output of a step: an array of row objects. Anything else is one row. */
function rowsOf(json: string): readonly Row[] {
  const output = parseOrdered(json);
  const rows: readonly unknown[] = Array.isArray(output) ? output : [output];
  return rows.map((row) =>
    typeof row === "object" && row !== null ? (row as Row) : { value: row },
  );
}

/** The columns of all rows with the type of their first value that is not NULL. */
function columnsOf(
  rows: readonly Row[],
): readonly { readonly name: string; readonly type: string }[] {
  const types = new Map<string, string>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if ((types.get(name) ?? "null") === "null") types.set(name, typeOf(value));
    }
  }
  return [...types].map(([name, type]) => ({ name, type }));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "string" ? "text" : typeof value;
}
