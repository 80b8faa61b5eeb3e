import { elementTypeOf, isJsonType, type PostgresType } from "./postgres-types.js";

/** What a completed step hands to the steps that refer to it. */
export interface StepOutput {
  /** `toolOutputJson`: the rows as an array of objects (Decision §5). */
  readonly json: string;
  readonly metadata?: OutputMetadata;
}

/** What has to be known of an output beside its JSON to bind its values (Decision §5). */
export interface OutputMetadata {
  /** Of the columns whose types JSON does not tell. */
  readonly types?: readonly ColumnType[];
  /** Set when rows were left out. */
  readonly cut?: OutputCut;
}

/** By how much an output was cut (Decision §4). */
export interface OutputCut {
  readonly rowsKept: number;
  readonly rowCount: number;
  /** Counting stopped at `rowCount`: there are more. */
  readonly isLowerBound?: true;
}

/**
 * The types of the values in a column, where JSON does not tell them. Without one, a number with a
 * fraction or an exponent is a real number, any other number is an integer, and a string is text.
 */
export type ColumnType = SqliteColumnType | PostgresColumnType;

/** A column of SQLite, in which each value has a type of its own. */
export interface SqliteColumnType {
  readonly name: string;
  /**
   * What a JSON string in this column stands for: one {@link StorageLetter} for all rows, or one for
   * each row.
   */
  readonly storage: string;
}

/** `i`: an integer that no double holds, as digits; `r`: ±Infinity; `b`: a blob, as base64; `t`: text. */
export type StorageLetter = "i" | "r" | "b" | "t";

/** A column of PostgreSQL. */
export interface PostgresColumnType {
  readonly name: string;
  readonly type: PostgresType;
  /** Rows, from 0, in which a JSON `null` is the value `null` of json or jsonb, and not NULL. */
  readonly jsonNulls?: readonly number[];
}

/** The type of one value. */
export type CellType =
  | { readonly engine: "sqlite"; readonly storage: StorageLetter }
  | { readonly engine: "postgres"; readonly type: PostgresType; readonly isJsonNull?: true }
  /** It stands inside a json value, which has no other types than JSON's. */
  | { readonly engine: "json" };

/** The type of a value; `undefined` when its JSON tells. @param row from 0. */
export function cellTypeOf(column: ColumnType | undefined, row: number): CellType | undefined {
  if (column === undefined) return undefined;
  if ("type" in column) {
    const { type, jsonNulls } = column;
    const isJsonNull = jsonNulls?.includes(row) === true;
    return { engine: "postgres", type, ...(isJsonNull ? { isJsonNull } : {}) };
  }
  const { storage } = column;
  // Written by the data source's adapter: letters only.
  const letter = (storage.length === 1 ? storage : storage[row]) as StorageLetter | undefined;
  return letter === undefined ? undefined : { engine: "sqlite", storage: letter };
}

/**
 * The type of what stands inside a value: an element of an array, or a part of a json value.
 * @param isArray whether it is itself an array in JSON: one of the inner arrays of several dimensions.
 */
export function innerTypeOf(type: CellType | undefined, isArray: boolean): CellType {
  if (type?.engine !== "postgres" || isJsonType(type.type)) return { engine: "json" };
  const element = elementTypeOf(type.type);
  if (element === undefined) return { engine: "json" };
  return isArray && !isJsonType(element) ? type : { engine: "postgres", type: element };
}
