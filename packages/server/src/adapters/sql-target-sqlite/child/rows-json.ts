import { ResultRows } from "../../result-rows.js";

/** A value as the driver returns it, with integers as bigint. */
export type SqliteCell = bigint | number | string | Uint8Array | null;

/**
 * The JSON text of a result: integers that no double holds are decimal strings, blobs base64, and
 * infinities null (Decision §5).
 */
export class RowsJson extends ResultRows<SqliteCell> {
  /** @param columns names of the result's columns, as the engine gives them. */
  constructor(columns: readonly string[]) {
    super(columns, cellJson);
  }
}

function cellJson(cell: SqliteCell): string {
  switch (typeof cell) {
    case "bigint":
      return isSafe(cell) ? cell.toString() : `"${cell.toString()}"`;
    case "number":
      return Number.isFinite(cell) ? String(cell) : "null";
    case "string":
      return JSON.stringify(cell);
    default:
      return cell === null ? "null" : `"${Buffer.from(cell).toString("base64")}"`;
  }
}

function isSafe(integer: bigint): boolean {
  return integer <= Number.MAX_SAFE_INTEGER && integer >= Number.MIN_SAFE_INTEGER;
}
