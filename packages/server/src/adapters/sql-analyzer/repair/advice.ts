import type { Dialect } from "../../../governance/index.js";
import { foreignFormsIn } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";

/**
 * Sentences that help to repair a statement which the parser takes and the engine has refused.
 * @param failure what the engine said.
 */
export function adviceAfter(failure: string, sql: string, dialect: Dialect): readonly string[] {
  // Only what is missing can be another engine's; a violated constraint is no matter of dialect.
  if (!MISSING.test(failure)) return [];
  const forms = dialect === "sqlite" ? SQLITE_FORMS : POSTGRES_FORMS;
  const found = foreignFormsIn(sql, failure, { dialect, forms });
  return [...adviceOnQuotes(failure, sql), ...found.map(({ advice }) => advice)];
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
