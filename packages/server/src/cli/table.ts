/** Characters of one cell, at most: a table is for reading, `--json` has the whole. */
const CELL_LENGTH_MAX = 60;

/** One column: its title, and how its cells are set. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Colours a cell that is already padded to the column's width. */
  readonly paint?: (cell: string) => string;
}

/**
 * Lines of text in columns, the titles first. A cell's line breaks become spaces; control characters
 * and what is too long are cut.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const cells = rows.map((row) => columns.map((_column, index) => fit(row[index] ?? "")));
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((row) => (row[index] ?? "").length)),
  );
  const line = (row: readonly string[], painted: boolean): string =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0;
        const cell = row[index] ?? "";
        const set = column.align === "right" ? cell.padStart(width) : cell.padEnd(width);
        return painted && column.paint !== undefined ? column.paint(set) : set;
      })
      .join("  ")
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      false,
    ),
    ...cells.map((row) => line(row, true)),
  ];
}

/** Text that is safe and short enough for one line of a terminal. */
export function fit(text: string, length: number = CELL_LENGTH_MAX): string {
  return cut(text.replace(/\s+/g, " ").replace(/\p{C}/gu, ""), length);
}

/** The text, or as much of it as fits with a sign that there was more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
