import {
  type Command,
  type ConcurrentCommand,
  POSTGRES_COMMANDS,
  type PostgresCommand,
  type Statement,
  type TableLock,
  type Work,
} from "../model/commands.js";
import type { Kind } from "../model/kinds.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import { qualified, quoteName, quoteText } from "./objects/names.js";

/** The object that a statement is about, and the relations that it locks. */
export interface Subject {
  /** Path of the object. */
  readonly object: string;
  /** Path of the table or view that the command locks. */
  readonly table?: string | undefined;
  readonly rows?: Work;
  /** Locks on further tables. */
  readonly others?: readonly TableLock[];
}

const RELATIONS: readonly Kind[] = ["Table", "View", "MaterializedView"];

/** A command that can run in a transaction. */
export type PlainCommand = Exclude<PostgresCommand, ConcurrentCommand>;

/** A statement with the lock of its command. */
export function statement(command: PlainCommand, sql: string, subject: Subject): Statement {
  return { sql, command: { command, object: subject.object, locks: locksOf(command, subject) } };
}

/**
 * ALTER TABLE: of a table or view, or of the one that an object is a part of.
 * @param action what follows the name: `SET LOGGED`.
 */
export function alteringTable(
  command: PlainCommand,
  schema: PostgresSchema,
  object: PostgresObject,
  action: string,
  locked: Pick<Subject, "rows" | "others"> = {},
): Statement {
  const table = RELATIONS.includes(object.kind) ? object : schema.above(object);
  const sql = `ALTER TABLE ${qualified(schema, table)} ${action}`;
  return statement(command, sql, { ...on(schema, object), ...locked });
}

/** ALTER TABLE … ALTER COLUMN. */
export function alteringColumn(
  command: PlainCommand,
  schema: PostgresSchema,
  column: PostgresObject,
  action: string,
  rows?: Work,
): Statement {
  const whole = `ALTER COLUMN ${quoteName(nameOf(column))} ${action}`;
  return alteringTable(command, schema, column, whole, rows === undefined ? {} : { rows });
}

/**
 * COMMENT ON.
 * @param what the object as the statement names it: `TABLE "public"."orders"`.
 */
export function commentOn(what: string, subject: Subject, text: string | undefined): Statement {
  const value = text === undefined ? "NULL" : quoteText(text);
  return statement("comment", `COMMENT ON ${what} IS ${value}`, subject);
}

/**
 * CREATE INDEX CONCURRENTLY or DROP INDEX CONCURRENTLY.
 * @param index qualified and quoted.
 */
export function concurrently(
  command: ConcurrentCommand,
  sql: string,
  index: string,
  subject: Subject,
): Statement {
  const locks = locksOf(command, subject);
  return { sql, command: { command, object: subject.object, index, locks } };
}

function locksOf(
  command: PostgresCommand,
  { table, rows, others = [] }: Subject,
): Command["locks"] {
  const mode = POSTGRES_COMMANDS[command];
  return table === undefined || mode === undefined ? others : [lock(table, mode, rows), ...others];
}

export function lock(
  table: string,
  mode: TableLock["mode"],
  holdsWhile: Work = "instant",
): TableLock {
  return { table, mode, holdsWhile };
}

/**
 * An object, and the table or view that statements about the object lock: the object itself, or the
 * one that it is a part of. A statement about an index locks the table only if it says so.
 */
export function on(schema: PostgresSchema, object: PostgresObject): Subject {
  const path = schema.pathOf(object);
  if (RELATIONS.includes(object.kind)) return { object: path, table: path };
  const above = object.kind === "Index" ? undefined : schema.find(object.parent);
  const isPart = above !== undefined && RELATIONS.includes(above.kind);
  return { object: path, table: isPart ? schema.pathOf(above) : undefined };
}
