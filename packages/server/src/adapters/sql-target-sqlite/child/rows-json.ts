import type { ColumnType, StorageLetter } from "../../../plans/ports.js";
import { ResultRows, type CellWriter } from "../../sql-target/result-rows.js";

/** A value as the driver returns it, with integers as bigint. */
export type SqliteCell = bigint | number | string | Uint8Array | null;

/**
 * Builds the JSON of a result (Decision §5). Integers that no double represents become decimal
 * strings, blobs become base64, and infinities become strings. A real number always has a fraction
 * or an exponent.
 */
export class RowsJson extends ResultRows<SqliteCell> {
  /** @param columns the column names as returned by the engine. */
  constructor(columns: readonly string[]) {
    super(columns, new SqliteCells());
  }
}

/**
 * Serializes cells, and records what their JSON strings represent, because in SQLite each value has
 * its own type.
 */
class SqliteCells implements CellWriter<SqliteCell> {
  /** By column and row: JSON strings that represent no text. */
  readonly #strings = new Map<number, Map<number, StorageLetter>>();
  /** Columns that contain text. */
  readonly #texts = new Set<number>();
  #rowCount = 0;

  json(cell: SqliteCell): string {
    return sqliteCellJson(cell);
  }

  bytesMin(cell: SqliteCell): number {
    return typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 1;
  }

  kept(row: readonly SqliteCell[]): void {
    for (const [column, cell] of row.entries()) {
      if (typeof cell === "string") this.#texts.add(column);
      const letter = letterOf(cell);
      if (letter !== undefined) this.#stringsOf(column).set(this.#rowCount, letter);
    }
    this.#rowCount += 1;
  }

  types(names: readonly string[]): readonly ColumnType[] {
    return [...this.#strings].map(([column, letters]) => ({
      name: names[column] ?? "",
      storage: this.#storageOf(column, letters),
    }));
  }

  #storageOf(column: number, letters: ReadonlyMap<number, StorageLetter>): string {
    const [only = "t", ...others] = new Set(letters.values());
    if (others.length === 0 && !this.#texts.has(column)) return only;
    return Array.from({ length: this.#rowCount }, (_, row) => letters.get(row) ?? "t").join("");
  }

  #stringsOf(column: number): Map<number, StorageLetter> {
    const known = this.#strings.get(column);
    if (known !== undefined) return known;
    const letters = new Map<number, StorageLetter>();
    this.#strings.set(column, letters);
    return letters;
  }
}

/** A value as JSON (Decision §5). */
export function sqliteCellJson(cell: SqliteCell): string {
  switch (typeof cell) {
    case "bigint":
      return isSafe(cell) ? cell.toString() : `"${cell.toString()}"`;
    case "number":
      return realJson(cell);
    case "string":
      return JSON.stringify(cell);
    default:
      return cell === null ? "null" : `"${Buffer.from(cell).toString("base64")}"`;
  }
}

/** The type that a JSON string represents, unless it is text. */
function letterOf(cell: SqliteCell): StorageLetter | undefined {
  switch (typeof cell) {
    case "bigint":
      return isSafe(cell) ? undefined : "i";
    case "number":
      return Number.isFinite(cell) ? undefined : "r";
    case "string":
      return undefined;
    default:
      return cell === null ? undefined : "b";
  }
}

function realJson(real: number): string {
  if (!Number.isFinite(real)) return `"${real}"`;
  const text = Object.is(real, -0) ? "-0" : String(real);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function isSafe(integer: bigint): boolean {
  return integer <= Number.MAX_SAFE_INTEGER && integer >= Number.MIN_SAFE_INTEGER;
}
