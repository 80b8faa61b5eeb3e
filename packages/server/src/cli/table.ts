import stringWidth from "string-width";

/** Columns of one cell, at most: a table is for reading, `--json` has the whole. */
const CELL_WIDTH_MAX = 60;

/** One column: its title, and how its cells are set. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Never cut: an id is of use only as a whole. */
  readonly whole?: boolean;
  /** Colours a cell that is already padded to the column's width. */
  readonly paint?: (cell: string) => string;
}

/** Columns of the narrowest cell that a table is cut down to. */
const CELL_WIDTH_MIN = 8;

/** Columns between two cells. */
const GAP = 2;

/**
 * Lines of text in columns, the titles first. A cell's line breaks become spaces; control characters
 * and what is too long are cut.
 * @param width columns of the terminal; the widest columns on the left are cut until lines fit. Left out: none is.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = Infinity,
): readonly string[] {
  const cells = rows.map((row) => columns.map((_column, index) => fit(row[index] ?? "")));
  const wanted = columns.map((column, index) =>
    Math.max(stringWidth(column.title), ...cells.map((row) => stringWidth(row[index] ?? ""))),
  );
  const widths = narrowed(columns, wanted, width);
  const line = (row: readonly string[], painted: boolean): string =>
    columns
      .map((column, index) => {
        const room = widths[index] ?? 0;
        const set = padded(cut(row[index] ?? "", room), room, column.align);
        return painted && column.paint !== undefined ? column.paint(set) : set;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      false,
    ),
    ...cells.map((row) => line(row, true)),
  ];
}

/** The widths of columns once they fit, if they can: ids, and numbers on the right, are never cut. */
function narrowed(
  columns: readonly Column[],
  wanted: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...wanted];
  const gaps = GAP * (columns.length - 1);
  const flexible = columns.flatMap(({ align, whole }, index) =>
    align === "right" || whole === true ? [] : [index],
  );
  for (;;) {
    const over = widths.reduce((sum, next) => sum + next, gaps) - width;
    const [widest, next] = [...flexible].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const most = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (over <= 0 || widest === undefined || most <= CELL_WIDTH_MIN) return widths;
    // Down to the next widest; equally wide ones take turns.
    const floor = Math.max(CELL_WIDTH_MIN, next === undefined ? 0 : (widths[next] ?? 0));
    widths[widest] = most - Math.min(over, Math.max(1, most - floor));
  }
}

function padded(text: string, width: number, align: Column["align"]): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "right" ? `${space}${text}` : `${text}${space}`;
}

/** Text that is safe and short enough for one line of a terminal. */
export function fit(text: string, width: number = CELL_WIDTH_MAX): string {
  return cut(text.replace(/\s+/g, " ").replace(/\p{C}/gu, ""), width);
}

/** The text, or as much of it as fits into so many columns, with a sign that there was more. */
export function cut(text: string, width: number): string {
  // No character is narrower than nothing, so that a long text is not measured whole.
  if (text.length <= width * CHARACTER_LENGTH_MAX && stringWidth(text) <= width) return text;
  let shown = "";
  let room = width - 1;
  for (const { segment } of CHARACTERS.segment(text)) {
    room -= stringWidth(segment);
    if (room < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** Code units of the longest character that people see as one, such as a family of emoji. */
const CHARACTER_LENGTH_MAX = 32;

const CHARACTERS = new Intl.Segmenter();
