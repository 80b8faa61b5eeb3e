import { elementTypeOf, isJsonType, type PostgresType } from "./postgres-types.js";

/** The output of a completed step for the steps that refer to it. */
export interface StepOutput {
  /** `toolOutputJson`: the rows as an array of objects (Decision §5). */
  readonly json: string;
  readonly metadata?: OutputMetadata;
}

/** The information needed beside an output's JSON to bind its values (Decision §5). */
export interface OutputMetadata {
  /** Types of the columns that the JSON alone does not tell. */
  readonly types?: readonly ColumnType[];
  /** Set when rows were left out. */
  readonly cut?: OutputCut;
}

/** The extent to which an output was cut (Decision §4). */
export interface OutputCut {
  readonly rowsKept: number;
  readonly rowCount: number;
  /** Set when counting stopped at `rowCount` although there are more rows. */
  readonly isLowerBound?: true;
}

/**
 * The types of a column's values, when JSON alone does not tell them. Without this, a number with a
 * fraction or an exponent is a real number, any other number is an integer, and a string is text.
 */
export type ColumnType = SqliteColumnType | PostgresColumnType;

/** A column of SQLite, in which each value has its own type. */
export interface SqliteColumnType {
  readonly name: string;
  /**
   * The types of JSON strings in this column: one {@link StorageLetter} for all rows, or one for
   * each row.
   */
  readonly storage: string;
}

/**
 * `i`: an integer outside the range of a double, as digits; `r`: ±Infinity; `b`: a blob, as base64;
 * `t`: text.
 */
export type StorageLetter = "i" | "r" | "b" | "t";

/** A column of PostgreSQL. */
export interface PostgresColumnType {
  readonly name: string;
  readonly type: PostgresType;
  /** Rows, from 0, in which JSON `null` is the json or jsonb value `null`, and not NULL. */
  readonly jsonNulls?: readonly number[];
}

/** The type of one value. */
export type CellType =
  | { readonly engine: "sqlite"; readonly storage: StorageLetter }
  | { readonly engine: "postgres"; readonly type: PostgresType; readonly isJsonNull?: true }
  /** The value is inside a json value, which has only JSON's types. */
  | { readonly engine: "json" };

/** The type of a value; `undefined` when the JSON alone is sufficient. @param row from 0. */
export function cellTypeOf(column: ColumnType | undefined, row: number): CellType | undefined {
  if (column === undefined) return undefined;
  if ("type" in column) {
    const { type, jsonNulls } = column;
    const isJsonNull = jsonNulls?.includes(row) === true;
    return { engine: "postgres", type, ...(isJsonNull ? { isJsonNull } : {}) };
  }
  const { storage } = column;
  // The data source's adapter writes only these letters.
  const letter = (storage.length === 1 ? storage : storage[row]) as StorageLetter | undefined;
  return letter === undefined ? undefined : { engine: "sqlite", storage: letter };
}

/**
 * The type of a nested value: an element of an array, or a part of a json value.
 * @param isArray whether the value is itself a JSON array: an inner dimension.
 */
export function innerTypeOf(type: CellType | undefined, isArray: boolean): CellType {
  if (type?.engine !== "postgres" || isJsonType(type.type)) return { engine: "json" };
  const element = elementTypeOf(type.type);
  if (element === undefined) return { engine: "json" };
  return isArray && !isJsonType(element) ? type : { engine: "postgres", type: element };
}
