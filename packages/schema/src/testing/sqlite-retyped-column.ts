import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { identify, renameHints, scriptBetween, stepsOf } from "../index.js";
import { unsaid } from "./command-table.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";
import { refuseChangedRows } from "../sqlite-database/row-checks.js";

/** The result of rebuilding a table. */
export interface Rebuilt {
  /** The code of the refusal; undefined when the table was rebuilt. */
  readonly refusal: string | undefined;
  readonly message: string;
  /** Values of the column `v`, as literals, in the order of the column `k`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A table `t` with a column `v`; the column `k` identifies the rows. */
export function tableWith(type: string, isStrict = false): string {
  return `CREATE TABLE t (k INTEGER PRIMARY KEY, v ${type})${isStrict ? " STRICT" : ""}`;
}

/**
 * Fills a table with those values, given as literals, that it accepts, and rebuilds it with a
 * migration.
 */
export function rebuild(current: string, desired: string, values: readonly string[]): Rebuilt {
  using db = open(current);
  for (const [index, value] of values.entries()) {
    try {
      db.exec(`INSERT INTO t (k, v) VALUES (${String(index)}, ${value})`);
    } catch {
      // A STRICT table refuses some of the values.
    }
  }
  const read = (): readonly string[] =>
    // The column that the query names.
    (db.prepare("SELECT quote(v) AS v FROM t ORDER BY k").all() as { v: string }[]).map(
      ({ v }) => v,
    );
  const before = read();
  try {
    migrate(db, desired);
    return { refusal: undefined, message: "", before, after: read() };
  } catch (error) {
    const refusal = error instanceof AppError ? error.code : "STEP_FAILED";
    return { refusal, message: String(error), before, after: read() };
  }
}

/**
 * Migrates a database to another schema. @throws the error that prevents it, with nothing changed.
 */
export function migrate(db: DatabaseSyncInstance, desired: string): void {
  using wanted = open(desired);
  const base = identify(introspectSqlite(db), undefined);
  const hints = renameHints(desired, "sqlite");
  const target = identify(introspectSqlite(wanted), base, hints);
  const [mistake] = unsaid(base, target);
  if (mistake !== undefined) throw new TypeError(`docs/migration-locks.md: ${mistake}`);
  const script = scriptBetween(base, target);
  db.exec("BEGIN");
  try {
    for (const step of script.flatMap(stepsOf)) {
      if (typeof step === "string") db.exec(step);
      else refuseChangedRows(db, step);
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

/** An in-memory database with these definitions. */
export function open(sql: string): DatabaseSyncInstance & Disposable {
  const db = new DatabaseSync(":memory:");
  db.exec(sql);
  return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}

/** Whether two literals have the same value, or are the same number, possibly as a text. */
export function isSame(before: string, after: string): boolean {
  if (before === after) return true;
  const isText = before.startsWith("'");
  if (isText && after.startsWith("'")) return false;
  if (after.startsWith("'")) return isSameNumber(before, after.slice(1, -1));
  return isSameNumber(isText ? before.slice(1, -1) : before, after) && (!isText || isPlain(before));
}

function isSameNumber(one: string, other: string): boolean {
  const isWhole = [one, other].every((each) => /^-?\d+(\.0)?$/.test(each));
  if (!isWhole) return Number(one) === Number(other);
  const [a, b] = [one, other].map((each) => BigInt(each.replace(".0", "")));
  return a === b;
}

/** Whether a text is SQLite's own form of a number. */
function isPlain(literal: string): boolean {
  return /^'(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.(0|\d*[1-9])|-?[1-9]\.(0|\d*[1-9])e[-+]\d+)'$/.test(
    literal,
  );
}
