import { foreignFormsIn } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { keywordsForName, repaired } from "./repairs.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";
import { REPAIRED_LENGTH_MAX, type UnparsableText } from "./syntax-hint.js";

/** A statement that the parser takes and the engine has refused. */
export type RefusedStatement = Pick<UnparsableText, "sql" | "dialect" | "errorOf">;

/**
 * Sentences that help to repair a statement which the parser takes and the engine has refused.
 * @param failure what the engine said.
 */
export function adviceAfter(
  failure: string,
  { sql, dialect, errorOf }: RefusedStatement,
): readonly string[] {
  // Only what is missing can be another engine's; a violated constraint is no matter of dialect.
  if (!MISSING.test(failure)) return [];
  const forms = dialect === "sqlite" ? SQLITE_FORMS : POSTGRES_FORMS;
  const found = foreignFormsIn(sql, failure, { dialect, forms });
  return [
    ...adviceOnQuotes(failure, sql),
    ...adviceOnKeyword(failure, { sql, dialect, errorOf }),
    ...found.map(({ advice }) => advice),
  ];
}

/** Keywords that are tried in place of a name. */
const KEYWORDS_TRIED_MAX = 8;

/** A misspelt keyword that the parser took for a column's name; what is advised was tried. */
function adviceOnKeyword(
  failure: string,
  { sql, dialect, errorOf }: RefusedStatement,
): readonly string[] {
  const name = /^(?:column|no such column:) "?(\w+)"?(?: |$)/.exec(failure)?.[1];
  if (name === undefined || sql.length > REPAIRED_LENGTH_MAX) return [];
  let tried = 0;
  for (const repair of keywordsForName(sql, name, dialect)) {
    if (errorOf(repaired(sql, repair)) === undefined) return [repair.advice];
    tried += 1;
    if (tried === KEYWORDS_TRIED_MAX) break;
  }
  return [];
}

/** How both engines say that something of a name is not there. */
const MISSING = /does not exist|^no such |^unknown database |wrong number of arguments/;

/** A text in double quotes, which both engines take for a name. */
function adviceOnQuotes(failure: string, sql: string): readonly string[] {
  const name = /^(?:column|no such column:) "([^"]+)"/.exec(failure)?.[1];
  if (name === undefined || !sql.includes(`"${name}"`)) return [];
  return [
    `"${name}" in double quotes is a name; if it is meant to be a text, write '${name.replaceAll("'", "''")}'`,
  ];
}
