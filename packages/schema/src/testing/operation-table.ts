import { readFileSync } from "node:fs";
import { LOCK_MODES, scriptLocks, type StatementLocks, type TableLock } from "../scripts/locks.js";
import { lint } from "../lint/lint.js";
import type { Dialect, Schema } from "../model/schema.js";
import { scriptBetween } from "../scripts/script.js";
import { tokensOf } from "../sql/sql-tokens.js";

const DOCUMENT = new URL("../../../../docs/migration-locks.md", import.meta.url);
const ROWS: Readonly<Record<TableLock["holdsWhile"], string>> = {
  instant: "untouched",
  scan: "read",
  rewrite: "rewritten",
};

/**
 * A row of the documentation's table: an operation, its strongest lock, its work on rows, and its
 * possible losses.
 */
interface Operation {
  /** Keywords of the statements; `…` stands for any text. */
  readonly patterns: readonly (readonly string[])[];
  readonly lock: string;
  readonly rows: string;
  readonly loss: string;
}

/** The operations of an engine, in the order of the documentation. */
function operationsOf(dialect: Dialect): readonly Operation[] {
  const title = dialect === "postgres" ? "## PostgreSQL" : "## SQLite";
  const [, section = ""] = readFileSync(DOCUMENT, "utf8").split(`${title}\n`);
  const [own = ""] = section.split("\n## ");
  const rows = own.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((line) => {
    const [, statements = "", lock = "", does = "", loss = ""] = line.split("|");
    const patterns = [...statements.matchAll(/`([^`]+)`/g)].map(([, words = ""]) =>
      words.split(" "),
    );
    return { patterns, lock: lock.trim(), rows: does, loss: loss.trim() };
  });
}

/** Effects of a script that the documentation does not mention. */
export function unsaid(base: Schema, target: Schema): readonly string[] {
  const operations = operationsOf(target.dialect);
  const script = scriptBetween(base, target);
  const mistakes = scriptLocks(base, target, script).flatMap((each) => {
    const operation = operationIn(operations, each.statement);
    if (operation === undefined) return [`no row for ${each.statement}`];
    return each.locks.flatMap((lock) => mistake(operation, lock, each));
  });
  const all = script.flatMap(({ statements }) => statements);
  const mayLose = all.some((each) => {
    return operationIn(operations, each)?.loss.startsWith("nothing") === false;
  });
  const lost = lint(base, target, script).filter(({ code }) => code === "destructive");
  const unnamed = mayLose ? [] : lost.map(({ object, message }) => `${object}: ${message}`);
  return [...mistakes, ...unnamed];
}

function mistake(
  { lock: most, rows }: Operation,
  { mode, holdsWhile }: TableLock,
  { statement }: StatementLocks,
): readonly string[] {
  const modes: readonly string[] = LOCK_MODES;
  const isStronger = most === "none" || modes.indexOf(mode) > modes.indexOf(most);
  return [
    ...(isStronger ? [`${mode} instead of ${most}: ${statement}`] : []),
    ...(isWithin(rows, holdsWhile) ? [] : [`rows are ${ROWS[holdsWhile]}: ${statement}`]),
  ];
}

/** Whether a statement's work is no heavier than documented. */
function isWithin(rows: string, work: TableLock["holdsWhile"]): boolean {
  return work === "instant" || rows.includes(ROWS[work]);
}

function operationIn(operations: readonly Operation[], statement: string): Operation | undefined {
  // Only keywords outside of quotes identify a statement.
  const words = tokensOf(statement, "postgres").map(({ type, text }) =>
    type === "word" || type === "sign" ? text.toUpperCase() : "",
  );
  return operations.find(({ patterns }) => patterns.some((each) => isOf(each, words)));
}

function isOf(pattern: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const [index, part] of pattern.entries()) {
    if (part === "…") continue;
    const own = part.toUpperCase().split(/(?<=\.)|(?=\.)/);
    const isAt = (place: number): boolean =>
      own.every((word, next) => words[place + next] === word);
    if (index > 0 && pattern[index - 1] === "…") {
      while (at < words.length && !isAt(at)) at += 1;
    }
    if (!isAt(at)) return false;
    at += own.length;
  }
  return true;
}
