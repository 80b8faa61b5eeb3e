import { type Intent, ROW_CHANGES } from "./intent.js";
import type { DataAccess, RecordedTable } from "../kernel/tool-call.js";

export type { DataAccess } from "../kernel/tool-call.js";

/** A table or view that a statement touches. */
export interface TouchedTable extends RecordedTable {
  /** The schema by which the name is qualified, empty on SQLite; absent: only the text of a name is known. */
  readonly schema?: string;
  /** Every column of the table, in lower case, as far as they are known. */
  readonly columns: readonly string[];
  /** Those of its columns that are computed from others, as far as they are known; absent: none. */
  readonly generated?: readonly GeneratedColumn[];
}

/** A column that is computed from others of its table. Names are in lower case. */
export interface GeneratedColumn {
  readonly name: string;
  /** May name more columns than the expression reads. */
  readonly from: readonly string[];
}

/** A column, and those that it is computed from: reading it reads all of them. */
export function withSources({ generated = [] }: TouchedTable, column: string): readonly string[] {
  return [column, ...generated.flatMap(({ name, from }) => (name === column ? from : []))];
}

/**
 * The data that a statement touches on a data source. Decisions are cached by the object's
 * identity.
 */
export interface TouchedData {
  readonly tables: readonly TouchedTable[];
  /**
   * Functions of the database that the statement calls, in lower case; their effects are unknown.
   */
  readonly functions: readonly string[];
  /**
   * A hash of the definitions that the statement goes through: tables, views, triggers, functions. Absent when
   * the engine has not been asked.
   */
  readonly definitions?: string;
  /** Functions, relations and columns of the system whose values may differ from run to run, such as `random`; absent: none is known. */
  readonly varying?: readonly string[];
  /**
   * Whether the statement may name members of values by literals that look like values without the types of the
   * operands, as in `jsonb - text`. Absent: it does not, or the engine has not been asked.
   */
  readonly namesMembers?: boolean;
  /** Only the text of the statement tells of these tables, because the engine has not reported what it touches. */
  readonly unreported?: true;
}

/** Words that PostgreSQL reads as a time of the present, if they stand for a date or time; not the function now(). */
const PRESENT = /(?<![a-z])(?:now|today|tomorrow|yesterday)(?![a-z]|\s*\()/gi;

/** The words in a text that may stand for the time of a run, in quotes. */
export function timesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(PRESENT)].map(([word]) => `'${word.toLowerCase()}'`))];
}

/** Tables that the text of a statement names, without further information. */
export function namedData(tables: readonly string[]): TouchedData {
  const names = [...new Set(tables.map((table) => table.toLowerCase()))];
  return {
    tables: names.map((name) => ({ name, accesses: {}, columns: [] })),
    functions: [],
    unreported: true,
  };
}

/** The kinds of row changes among these accesses, those of triggers and cascades included. */
export function changesIn({ tables }: TouchedData): readonly Intent[] {
  return ROW_CHANGES.filter((change) =>
    tables.some(({ accesses }) => accesses[accessOfChange[change]] !== undefined),
  );
}

const accessOfChange = {
  write_insert: "insert",
  write_update: "update",
  write_delete: "delete",
} as const satisfies Record<(typeof ROW_CHANGES)[number], DataAccess>;

/** The access to its tables by a statement with this intent. */
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
