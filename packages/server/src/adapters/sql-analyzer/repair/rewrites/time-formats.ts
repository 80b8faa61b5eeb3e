/** A unit of time, as SQL writes it. */
export type Unit = "year" | "month" | "week" | "day" | "hour" | "minute" | "second";

/** A unit in any usual writing: `YEAR`, `'years'`. */
export function unitOf(written: string): Unit | undefined {
  const word = written.replaceAll("'", "").trim().toLowerCase().replace(/s$/, "");
  return UNITS.find((unit) => unit === word);
}

const UNITS: readonly Unit[] = ["year", "month", "week", "day", "hour", "minute", "second"];

/** Whether a unit is a part of a day. */
export function isPartOfDay(unit: Unit): boolean {
  return unit === "hour" || unit === "minute" || unit === "second";
}

type Part = "year" | "month" | "day" | "hour" | "minute" | "second";
type Dialect = "strftime" | "mysql" | "to_char";

/** How each family of functions writes the parts of a time that have a fixed number of digits. */
const PARTS: Readonly<Record<Dialect, Readonly<Record<Part, string>>>> = {
  strftime: { year: "%Y", month: "%m", day: "%d", hour: "%H", minute: "%M", second: "%S" },
  mysql: { year: "%Y", month: "%m", day: "%d", hour: "%H", minute: "%i", second: "%s" },
  to_char: { year: "YYYY", month: "MM", day: "DD", hour: "HH24", minute: "MI", second: "SS" },
};

/** A piece of a format: a part of a time, or other characters. */
type Piece = { readonly part: Part } | { readonly text: string };

/** @returns `undefined` for a format with parts that have no fixed number of digits. */
function piecesOf(literal: string, dialect: Dialect): readonly Piece[] | undefined {
  const format = /^'([^']*)'$/.exec(literal)?.[1];
  if (format === undefined) return undefined;
  const pieces: Piece[] = [];
  for (let at = 0; at < format.length;) {
    const [part, written] =
      Object.entries(PARTS[dialect]).find(
        ([, each]) =>
          format.toUpperCase().startsWith(each.toUpperCase(), at) &&
          (dialect === "to_char" || format.startsWith(each, at)),
      ) ?? [];
    if (part !== undefined && written !== undefined) {
      pieces.push({ part: part as Part });
      at += written.length;
      continue;
    }
    const text = format.charAt(at);
    if (/[%\p{L}]/u.test(text)) return undefined;
    pieces.push({ text });
    at += 1;
  }
  return pieces.some((piece) => "part" in piece) ? pieces : undefined;
}

/** A format in the writing of another family of functions, as a literal. */
export function formatIn(literal: string, from: Dialect, to: Dialect): string | undefined {
  const pieces = piecesOf(literal, from);
  const written = pieces?.map((piece) => ("part" in piece ? PARTS[to][piece.part] : piece.text));
  return written === undefined ? undefined : `'${written.join("")}'`;
}

/** An expression that reads a text of this format as an ISO date. */
export function isoDateOf(value: string, literal: string, from: Dialect): string | undefined {
  const pieces = piecesOf(literal, from);
  if (pieces === undefined) return undefined;
  let at = 1;
  const starts = new Map<Part, number>();
  for (const piece of pieces) {
    if ("part" in piece) starts.set(piece.part, at);
    at += "part" in piece ? (piece.part === "year" ? 4 : 2) : piece.text.length;
  }
  const [year, month, day] = (["year", "month", "day"] as const).map((part) => starts.get(part));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const cut = (start: number, length: number): string => `substr(${value}, ${start}, ${length})`;
  return `${cut(year, 4)} || '-' || ${cut(month, 2)} || '-' || ${cut(day, 2)}`;
}
