import type { Dialect } from "../../../../governance/index.js";
import { POSTGRES_CALLS, type Rewrites, SQLITE_CALLS } from "./calls.js";
import { argumentsIn, closeOf, type Statement, statementOf, textBetween } from "./code.js";
import { type Edit, formsOf } from "./forms.js";

/** Length of the longest statement that is read for forms of other dialects, in characters. */
const READ_LENGTH_MAX = 2048;
/** Edits that the advice on one statement names. */
const EDITS_MAX = 4;

/**
 * Finds the forms of other dialects in a statement, and writes each of them in this dialect with the
 * statement's own names and values.
 */
export function rewritesIn(sql: string, dialect: Dialect): readonly Edit[] {
  if (sql.length > READ_LENGTH_MAX) return [];
  const statement = statementOf(sql, dialect);
  const calls = dialect === "sqlite" ? SQLITE_CALLS : POSTGRES_CALLS;
  const forms = formsOf(dialect);
  const found = new Map<string, Edit>();
  for (const at of statement.code.keys()) {
    const edits = [callAt(statement, at, calls), ...forms.map((form) => form(statement, at))];
    for (const edit of edits) {
      // A hint quotes SQL between backticks, so SQL that contains one cannot be quoted.
      if (edit === undefined || `${edit.written}${edit.fragment}`.includes("`")) continue;
      if (!found.has(edit.written) && edit.written !== edit.fragment) found.set(edit.written, edit);
    }
    if (found.size >= EDITS_MAX) break;
  }
  return [...found.values()].slice(0, EDITS_MAX);
}

function callAt(statement: Statement, at: number, calls: Rewrites): Edit | undefined {
  const { code } = statement;
  const name = code[at];
  if (name?.kind !== "word" || code[at + 1]?.text !== "(" || code[at - 1]?.text === ".") {
    return undefined;
  }
  const rewrite = Object.hasOwn(calls, name.lower) ? calls[name.lower] : undefined;
  const close = rewrite === undefined ? -1 : closeOf(statement, at + 1);
  if (rewrite === undefined || close === -1) return undefined;
  const fragment = rewrite(argumentsIn(statement, at + 1, close));
  return fragment === undefined
    ? undefined
    : { written: textBetween(statement, at, close), fragment };
}

/** The sentences that advise these edits. */
export function sentenceOf(edits: readonly Edit[]): string {
  return edits
    .map(({ written, fragment }) => `Use \`${fragment}\` instead of \`${written}\`.`)
    .join(" ");
}

/** The statement with these edits. */
export function edited(sql: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (text, { written, fragment }) => text.replaceAll(written, () => fragment),
    sql,
  );
}
