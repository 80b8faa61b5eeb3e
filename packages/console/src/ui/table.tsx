import { memo, type ReactNode } from "react";
import { classNames } from "./class-names.js";
import { useRowWindow } from "./row-window.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are set to the right, so that their digits are below each other. */
  readonly isNumber?: boolean;
}

/** Tables of fewer rows are drawn as a whole. */
const WINDOWED_ROWS_MIN = 60;

/** A table. One that may have many rows has a height of its rows: then only those that can be seen are drawn. */
export function Table<Data>(props: {
  readonly label: string;
  readonly rows: readonly Data[];
  readonly columns: readonly Column<Data>[];
  readonly keyOf: (row: Data) => string;
  readonly onOpen?: (row: Data) => void;
  readonly isChosen?: (row: Data) => boolean;
  /** In pixels. The table scrolls by itself and needs the height of its place. */
  readonly rowHeight?: number;
}) {
  const { rows, columns, keyOf, onOpen, isChosen, rowHeight = 0 } = props;
  const list = useRowWindow(rows.length, Math.max(1, rowHeight));
  const isWindowed = rowHeight > 0 && rows.length >= WINDOWED_ROWS_MIN;
  const first = isWindowed ? (list.rows[0] ?? 0) : 0;
  const end = isWindowed ? (list.rows.at(-1) ?? 0) + 1 : rows.length;
  return (
    // A table that is wider than a small screen is scrolled, also with the keyboard.
    <div
      ref={list.scroller}
      className="h-full overflow-auto"
      role="region"
      aria-label={props.label}
      tabIndex={0}
    >
      <table
        className="w-full text-left text-sm"
        {...(isWindowed ? { "aria-rowcount": rows.length + 1 } : {})}
      >
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
          {first > 0 && <tr style={{ height: first * rowHeight }} />}
          {rows.slice(first, end).map((row) => (
            <Row
              key={keyOf(row)}
              row={row}
              columns={columns}
              isChosen={isChosen?.(row) === true}
              onOpen={onOpen}
              height={isWindowed ? rowHeight : undefined}
            />
          ))}
          {end < rows.length && <tr style={{ height: (rows.length - end) * rowHeight }} />}
        </tbody>
      </table>
    </div>
  );
}

/** A row is drawn again when it is another object than before, or is chosen; or with other columns. */
const Row = memo(TableRow) as typeof TableRow;

function TableRow<Data>(props: {
  readonly row: Data;
  readonly columns: readonly Column<Data>[];
  readonly isChosen: boolean;
  readonly onOpen: ((row: Data) => void) | undefined;
  /** In pixels; absent: as high as its cells. */
  readonly height: number | undefined;
}) {
  const { row, columns, isChosen, onOpen, height } = props;
  return (
    <tr
      {...(height !== undefined && { style: { height } })}
      onClick={
        onOpen &&
        (() => {
          onOpen(row);
        })
      }
      className={classNames(
        "border-b hover:bg-hover",
        onOpen !== undefined && "cursor-pointer",
        isChosen && "bg-selected",
      )}
    >
      {columns.map(({ title, cell, isNumber }) => (
        <td
          key={title}
          className={classNames(
            "px-3 py-2 align-middle first:pl-4 last:pr-4 md:first:pl-6 md:last:pr-6",
            isNumber === true && "text-right tabular-nums",
            height !== undefined && "max-w-64 truncate py-0!",
          )}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}
