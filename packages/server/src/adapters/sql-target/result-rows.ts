import { OUTPUT_BYTES_MAX, RESULT_ROWS_COUNTED_MAX, RESULT_ROWS_MAX } from "../../plans/limits.js";
import type { ColumnType, StatementResult } from "../../plans/ports.js";

/** The stored rows of a result, and the number of all rows. */
export type RowsResult = Omit<StatementResult, "schemaDeltas">;

/**
 * Serializes the values of one result.
 * @typeParam Cell a value as returned by the driver.
 */
export interface CellWriter<Cell> {
  /** A value as JSON (Decision §5). */
  json(cell: Cell, column: number): string;
  /** A lower bound of the size of a value's JSON, without producing it. */
  bytesMin(cell: Cell): number;
  /** Called for each stored row, in order. */
  kept(row: readonly Cell[]): void;
  /**
   * The types of columns whose JSON does not reveal the type.
   * @param names the names of all columns.
   */
  types(names: readonly string[]): readonly ColumnType[];
}

/**
 * The result of a statement that returns no rows.
 * @param rowCount number of changed rows.
 */
export function withoutRows(rowCount: number): RowsResult {
  return {
    rowCount,
    outputJson: "[]",
    rowsKept: rowCount,
    rowCountIsLowerBound: false,
    columnTypes: [],
  };
}

/**
 * Builds the JSON of a result: an array of row objects, truncated before the row that would exceed
 * the row or byte limit (Decision §4).
 * @typeParam Cell a value as returned by the driver.
 */
export class ResultRows<Cell> {
  readonly #names: readonly string[];
  readonly #keys: readonly string[];
  readonly #writer: CellWriter<Cell>;
  readonly #rows: string[] = [];
  #bytes = 2;
  /** Whether a row was omitted; further rows are only counted. */
  #isCut = false;
  #rowCount = 0;
  #hasMore = false;

  /** @param columns the column names as returned by the engine. */
  constructor(columns: readonly string[], writer: CellWriter<Cell>) {
    this.#names = distinctNames(columns);
    this.#keys = this.#names.map((name) => `${JSON.stringify(name)}:`);
    this.#writer = writer;
  }

  /** Bytes of the stored rows. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a row.
   * @returns false when no further rows are needed.
   */
  add(row: readonly Cell[]): boolean {
    if (this.#rowCount - this.#rows.length >= RESULT_ROWS_COUNTED_MAX) {
      this.#hasMore = true;
      return false;
    }
    this.#rowCount += 1;
    if (!this.#isCut) this.#keep(row);
    return true;
  }

  /**
   * Adds a number of rows that were counted elsewhere; `hasMore`: the count stopped at its limit.
   */
  addUnseen(count: number, hasMore: boolean): void {
    this.#rowCount += count;
    this.#hasMore = hasMore;
  }

  finish(): RowsResult {
    return {
      rowCount: this.#rowCount,
      outputJson: `[${this.#rows.join(",")}]`,
      rowsKept: this.#rows.length,
      rowCountIsLowerBound: this.#hasMore,
      columnTypes: this.#writer.types(this.#names),
    };
  }

  #keep(row: readonly Cell[]): void {
    // The JSON of a row that is too large might exceed the longest possible string, so a lower
    // bound is checked first.
    const bytesMin = row.reduce((sum, cell) => sum + this.#writer.bytesMin(cell), 0);
    if (this.#bytes + bytesMin > OUTPUT_BYTES_MAX) {
      this.#isCut = true;
      return;
    }
    const text = this.#rowText(row);
    const bytes = Buffer.byteLength(text) + 1;
    if (this.#rows.length === RESULT_ROWS_MAX || this.#bytes + bytes > OUTPUT_BYTES_MAX) {
      this.#isCut = true;
      return;
    }
    this.#rows.push(text);
    this.#writer.kept(row);
    this.#bytes += bytes;
  }

  #rowText(row: readonly Cell[]): string {
    let text = "{";
    for (const [column, cell] of row.entries()) {
      if (column > 0) text += ",";
      text += `${this.#keys[column] ?? ""}${this.#writer.json(cell, column)}`;
    }
    return text + "}";
  }
}

/** Makes names distinct: the second `id` becomes `id_2`, unless another column has that name. */
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
