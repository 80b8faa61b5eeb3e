import {
  SQLITE_COMMANDS,
  type SqliteCommand,
  type Statement,
  type Work,
} from "../model/commands.js";

/** The object that a statement is about, and the tables that it writes. */
interface Subject {
  /** Path of the object: `orders.note`. */
  readonly object: string;
  /** The table that the statement reads or writes, if it is not the object itself. */
  readonly table?: string;
  readonly rows?: Work;
}

/** A statement with the lock of its command. */
export function statement(
  command: SqliteCommand,
  sql: string,
  { object, table = object, rows = "instant" }: Subject,
): Statement {
  const mode = SQLITE_COMMANDS[command];
  const locks = mode === undefined ? [] : [{ table, mode, holdsWhile: rows }];
  return { sql, command: { command, object, locks } };
}
