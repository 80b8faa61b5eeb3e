import stringWidth from "string-width";
import { shownText } from "@steward/kernel/shown-text.js";

/** Widest cell, in columns. Longer values are truncated; `--json` prints them in full. */
const CELL_WIDTH_MAX = 60;

/** A column's title, and the formatting of its cells. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Never truncated, because a truncated id is useless. */
  readonly whole?: boolean;
  /** Colours a cell that is already padded to the column's width. */
  readonly paint?: (cell: string) => string;
}

/** Smallest width to which a cell is truncated. */
const CELL_WIDTH_MIN = 8;

/** Columns between two cells. */
const GAP = 2;

/**
 * Formats a table, titles first. Line breaks in cells become spaces; deceptive characters are
 * replaced by their codes, and long cells truncated.
 * @param width columns of the terminal; the widest left-aligned columns are narrowed until lines
 * fit. Absent: no limit.
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

/**
 * Column widths that fit the terminal, if possible. Ids and right-aligned numbers are never
 * narrowed.
 */
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
    // Narrows to the next widest column; equally wide columns are narrowed alternately.
    const floor = Math.max(CELL_WIDTH_MIN, next === undefined ? 0 : (widths[next] ?? 0));
    widths[widest] = most - Math.min(over, Math.max(1, most - floor));
  }
}

function padded(text: string, width: number, align: Column["align"]): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "right" ? `${space}${text}` : `${text}${space}`;
}

/** Makes a text safe and short enough for one line of a terminal. */
export function fit(text: string, width: number = CELL_WIDTH_MAX): string {
  return cut(shownText(text.replace(/[ \t\r\n]+/g, " ")), width);
}

/** Truncates a text to a number of columns, with a sign that it was truncated. */
export function cut(text: string, width: number): string {
  // A text with more code units than could fit need not be measured as a whole.
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

/** Code units of the longest grapheme cluster, such as a family emoji. */
const CHARACTER_LENGTH_MAX = 32;

const CHARACTERS = new Intl.Segmenter();
