import { foreignFormsIn } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { keywordsForName, repaired } from "./repairs.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";
import { REPAIRED_LENGTH_MAX, type UnparsableText } from "./syntax-hint.js";

/** A statement that the parser accepts and the engine refused. */
export type RefusedStatement = Pick<UnparsableText, "sql" | "dialect" | "errorOf">;

/**
 * Advice on repairing a statement that the parser accepts and the engine refused.
 * @param failure the engine's message.
 */
export function adviceAfter(
  failure: string,
  { sql, dialect, errorOf }: RefusedStatement,
): readonly string[] {
  // Only a missing object can be a matter of dialect; a violated constraint is not.
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

/**
 * Advice on a misspelt keyword that the parser read as a column name. The corrected statement has
 * been parsed.
 */
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

/** The engines' messages for an object that does not exist. */
const MISSING = /does not exist|^no such |^unknown database |wrong number of arguments/;

/** Advice on a text in double quotes, which both engines read as a name. */
function adviceOnQuotes(failure: string, sql: string): readonly string[] {
  const name = /^(?:column|no such column:) "([^"]+)"/.exec(failure)?.[1];
  if (name === undefined || !sql.includes(`"${name}"`)) return [];
  return [
    `"${name}" in double quotes is a name; if it is meant as a text, write '${name.replaceAll("'", "''")}'`,
  ];
}
