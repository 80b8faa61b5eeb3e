import { OUTPUT_BYTES_MAX, RESULT_ROWS_COUNTED_MAX, RESULT_ROWS_MAX } from "../kernel/limits.js";
import type { ColumnType, StatementResult } from "../plans/ports.js";

/** The rows of one result and how many there were. */
export type RowsResult = Omit<StatementResult, "schemaDeltas">;

/**
 * Writes the values of one result.
 * @typeParam Cell a value as the driver gives it.
 */
export interface CellWriter<Cell> {
  /** JSON text of a value (Decision §5). */
  json(cell: Cell, column: number): string;
  /** Bytes that the JSON of a value has at least, told without making it. */
  bytesMin(cell: Cell): number;
  /** Told of each row that is kept, in order. */
  kept(row: readonly Cell[]): void;
  /** The types of the columns whose JSON does not tell them. @param names of all columns. */
  types(names: readonly string[]): readonly ColumnType[];
}

/** What a statement that returns no rows comes to. @param rowCount rows changed. */
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
 * Builds the JSON text of a result: an array of row objects, cut before the row that would exceed
 * the row or byte limit (Decision §4).
 * @typeParam Cell a value as the driver gives it.
 */
export class ResultRows<Cell> {
  readonly #names: readonly string[];
  readonly #keys: readonly string[];
  readonly #writer: CellWriter<Cell>;
  readonly #rows: string[] = [];
  #bytes = 2;
  #isCut = false;
  #rowCount = 0;
  #hasMore = false;

  /** @param columns names of the result's columns, as the engine gives them. */
  constructor(columns: readonly string[], writer: CellWriter<Cell>) {
    this.#names = distinctNames(columns);
    this.#keys = this.#names.map((name) => `${JSON.stringify(name)}:`);
    this.#writer = writer;
  }

  /** Whether a row was left out: further ones are only counted. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Bytes of the rows kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes one more row. @returns false when no further one need be offered. */
  add(row: readonly Cell[]): boolean {
    if (this.#rowCount - this.#rows.length >= RESULT_ROWS_COUNTED_MAX) {
      this.#hasMore = true;
      return false;
    }
    this.#rowCount += 1;
    if (!this.#isCut) this.#keep(row);
    return true;
  }

  /** Counts rows that were seen elsewhere; `hasMore`: counting stopped there. */
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
    // The text of a row that is not kept may be longer than any string can be.
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
