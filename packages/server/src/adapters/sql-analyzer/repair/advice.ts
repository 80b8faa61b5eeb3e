import type { EngineRefusal } from "../../../governance/index.js";
import { nameAt } from "../../../kernel/name-at.js";
import { foreignFormsIn } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { keywordsForName, repaired } from "./repairs.js";
import { rewritesIn, sentenceOf } from "./rewrites/rewrites.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";
import { REPAIRED_LENGTH_MAX, type UnparsableText } from "./syntax-hint.js";

/** A statement that the parser accepts and the engine refused. */
export type RefusedStatement = Pick<UnparsableText, "sql" | "dialect" | "errorOf">;

/** Advice on repairing a statement that the parser accepts and the engine refused. */
export function adviceAfter(
  refusal: EngineRefusal,
  statement: RefusedStatement,
): readonly string[] {
  const { sql, dialect } = statement;
  // Only a missing object can be a matter of dialect; a violated constraint is not.
  if (!isMissing(refusal)) return [];
  const forms = dialect === "sqlite" ? SQLITE_FORMS : POSTGRES_FORMS;
  const edits = rewritesIn(sql, dialect);
  if (edits.length > 0) return [sentenceOf(edits)];
  const found = foreignFormsIn(sql, refusal, { dialect, forms }).map(({ advice }) => advice);
  const column = missingColumn(refusal, sql);
  if (column === undefined) return found;
  return [
    ...(column.isQuoted ? [adviceOnQuotes(column.name)] : adviceOnKeyword(column.name, statement)),
    ...found,
  ];
}

/** SQLite's messages for an object that does not exist. */
const MISSING = /^no such |^unknown database |wrong number of arguments/;

/** PostgreSQL's SQLSTATEs of functions and operators, columns, tables, other objects and schemas that do not exist. */
const MISSING_CODES: ReadonlySet<string> = new Set(["42883", "42703", "42P01", "42704", "3F000"]);

function isMissing({ message, code }: EngineRefusal): boolean {
  return code === undefined ? MISSING.test(message) : MISSING_CODES.has(code);
}

/** The column that does not exist, where the statement names no table in front of it. */
function missingColumn(
  { message, code, at }: EngineRefusal,
  sql: string,
): { readonly name: string; readonly isQuoted: boolean } | undefined {
  if (code === undefined) {
    const [, quoted, plain] = /^no such column: (?:"([^"]+)"|(\w+)(?: |$))/.exec(message) ?? [];
    const name = quoted ?? plain;
    return name === undefined ? undefined : { name, isQuoted: quoted !== undefined };
  }
  const written = code === "42703" ? nameAt(sql, at) : undefined;
  const [name, ...others] = written?.path ?? [];
  if (name === undefined || others.length > 0) return undefined;
  return { name, isQuoted: written?.text.startsWith('"') === true };
}

/** Keywords that are tried in place of a name. */
const KEYWORDS_TRIED_MAX = 8;

/**
 * Advice on a misspelt keyword that the parser read as a column name. The corrected statement has
 * been parsed.
 */
function adviceOnKeyword(
  name: string,
  { sql, dialect, errorOf }: RefusedStatement,
): readonly string[] {
  if (sql.length > REPAIRED_LENGTH_MAX) return [];
  let tried = 0;
  for (const repair of keywordsForName(sql, name, dialect)) {
    // A keyword that is a name too leaves a column that does not exist.
    if (errorOf(`SELECT 1 AS x WHERE ${repair.text} = 1`) === undefined) continue;
    if (errorOf(repaired(sql, repair)) === undefined) return [repair.advice];
    tried += 1;
    if (tried === KEYWORDS_TRIED_MAX) break;
  }
  return [];
}

/** Advice on a text in double quotes, which both engines read as a name. */
function adviceOnQuotes(name: string): string {
  return `"${name}" in double quotes is a name; if it is meant as a text, write '${name.replaceAll("'", "''")}'`;
}
