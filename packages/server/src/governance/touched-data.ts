import type { Intent } from "./intent.js";

/** What is done to a table or a column; `define`: its definition is made, changed or dropped. */
export type DataAccess = "read" | "insert" | "update" | "delete" | "define";

/** A table or view that a statement touches. */
export interface TouchedTable {
  /** In lower case; on PostgreSQL with its schema. */
  readonly name: string;
  /**
   * By what is done to the table, the columns that it is done to, in lower case. Without an entry it is not known
   * what is done: the statement names the table, and the engine has not been asked.
   */
  readonly accesses: { readonly [Access in DataAccess]?: readonly string[] };
  /** Every column of the table, in lower case, as far as they are known. */
  readonly columns: readonly string[];
}

/** What a statement touches on a data source. One object is one answer: decisions are remembered by it. */
export interface TouchedData {
  readonly tables: readonly TouchedTable[];
  /** Functions of the database that the statement calls, in lower case: what they do cannot be told. */
  readonly functions: readonly string[];
}

/** Tables that a statement names, of which nothing else is known. */
export function namedData(tables: readonly string[]): TouchedData {
  const names = [...new Set(tables.map((table) => table.toLowerCase()))];
  return {
    tables: names.map((name) => ({ name, accesses: {}, columns: [] })),
    functions: [],
  };
}

/** What a statement of an intent does to the tables that it is about. */
export function accessOf(intent: Intent): DataAccess {
  switch (intent) {
    case "read_select":
      return "read";
    case "write_insert":
      return "insert";
    case "write_update":
      return "update";
    case "write_delete":
      return "delete";
    default:
      return "define";
  }
}
