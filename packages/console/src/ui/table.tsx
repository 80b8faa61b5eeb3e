import type { ReactNode } from "react";
import { classNames } from "./class-names.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are set to the right, so that their digits are below each other. */
  readonly isNumber?: boolean;
}

/** A table of at most a few hundred rows. Longer lists draw only the rows that can be seen. */
export function Table<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly isChosen?: (row: Row) => boolean;
}) {
  const { rows, columns, keyOf, onOpen, isChosen } = props;
  return (
    // A table that is wider than a small screen is scrolled, also with the keyboard.
    <div className="h-full overflow-auto" role="region" aria-label={props.label} tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead className="sticky top-0 z-10 bg-canvas text-xs text-muted shadow-[inset_0_-1px_0_var(--line)]">
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th
                key={title}
                scope="col"
                className={classNames(
                  "h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4 md:first:pl-6 md:last:pr-6",
                  isNumber === true && "text-right",
                )}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              onClick={
                onOpen &&
                (() => {
                  onOpen(row);
                })
              }
              className={classNames(
                "border-b hover:bg-hover",
                onOpen !== undefined && "cursor-pointer",
                isChosen?.(row) === true && "bg-selected",
              )}
            >
              {columns.map(({ title, cell, isNumber }) => (
                <td
                  key={title}
                  className={classNames(
                    "px-3 py-2 align-middle first:pl-4 last:pr-4 md:first:pl-6 md:last:pr-6",
                    isNumber === true && "text-right tabular-nums",
                  )}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
