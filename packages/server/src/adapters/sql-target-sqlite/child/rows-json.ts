import {
  OUTPUT_BYTES_MAX,
  RESULT_ROWS_COUNTED_MAX,
  RESULT_ROWS_MAX,
} from "../../../kernel/limits.js";
import type { StatementResult } from "../../../plans/ports.js";

/** A value as the driver returns it, with integers as bigint. */
export type SqliteCell = bigint | number | string | Uint8Array | null;

/** The rows of one result and how many there were. */
export type RowsResult = Omit<StatementResult, "schemaDeltas">;

/**
 * Builds the JSON text of a result: an array of row objects, cut before the row that would exceed
 * the row or byte limit. Integers that no double holds are decimal strings, blobs base64, and
 * infinities null (Decision §5).
 */
export class RowsJson {
  readonly #keys: readonly string[];
  readonly #rows: string[] = [];
  #bytes = 2;
  #isCut = false;
  #rowCount = 0;
  #hasMore = false;

  /** @param columns names of the result's columns, as the engine gives them. */
  constructor(columns: readonly string[]) {
    this.#keys = distinctNames(columns).map((name) => `${JSON.stringify(name)}:`);
  }

  /** Takes one more row. @returns false when no further one need be offered. */
  add(row: readonly SqliteCell[]): boolean {
    if (this.#rowCount - this.#rows.length >= RESULT_ROWS_COUNTED_MAX) {
      this.#hasMore = true;
      return false;
    }
    this.#rowCount += 1;
    if (!this.#isCut) this.#keep(row);
    return true;
  }

  finish(): RowsResult {
    return {
      rowCount: this.#rowCount,
      outputJson: `[${this.#rows.join(",")}]`,
      rowsKept: this.#rows.length,
      rowCountIsLowerBound: this.#hasMore,
    };
  }

  #keep(row: readonly SqliteCell[]): void {
    const text = this.#rowText(row);
    const bytes = Buffer.byteLength(text) + 1;
    if (this.#rows.length === RESULT_ROWS_MAX || this.#bytes + bytes > OUTPUT_BYTES_MAX) {
      this.#isCut = true;
      return;
    }
    this.#rows.push(text);
    this.#bytes += bytes;
  }

  #rowText(row: readonly SqliteCell[]): string {
    let text = "{";
    for (const [index, key] of this.#keys.entries()) {
      if (index > 0) text += ",";
      text += key + cellJson(row[index] ?? null);
    }
    return text + "}";
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

/** Names with none twice: the second `id` becomes `id_2`, unless a column bears that name already. */
function distinctNames(names: readonly string[]): readonly string[] {
  const given = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let copy = 2; used.has(distinct); copy += 1) {
      const candidate = `${name}_${copy}`;
      if (!given.has(candidate)) distinct = candidate;
    }
    used.add(distinct);
    return distinct;
  });
}
