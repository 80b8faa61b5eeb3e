import type { SqliteValue } from "../connection.js";

/** One statement that reads. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqliteValue[];
}

/** Statements that see one state of the store, and the bounds of what they return. */
export interface ReadOrder {
  readonly queries: readonly Query[];
  readonly timeMs: number;
  /** Bytes of the texts and blobs of all rows. */
  readonly bytesMax: number;
  /** Whether rows beyond `bytesMax` are left out; otherwise such a read fails. */
  readonly isCut: boolean;
}

/**
 * The rows of a query. Copying a message between threads takes a multiple of the time when it has
 * an object for each row, so the values of all rows are in one list.
 */
export interface PackedRows {
  readonly columns: readonly string[];
  readonly values: readonly SqliteValue[];
  /** Whether rows were left out. */
  readonly isCut: boolean;
}

/** The calls of a thread that reads the store. */
export interface ReadCalls {
  readonly read: { readonly input: ReadOrder; readonly output: readonly PackedRows[] };
}

/**
 * A condition that is always true and fails the statement when its time is over. A statement that
 * may look at many rows without returning one has it, before the conditions that those rows do not
 * meet; the time of others is checked by their rows.
 */
export const IS_IN_TIME = "is_in_time()";
