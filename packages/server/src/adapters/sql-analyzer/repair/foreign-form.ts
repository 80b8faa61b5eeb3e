import { nameAt } from "../../../kernel/name-at.js";
import { tokenize } from "../../../plans/index.js";
import type { Dialect, EngineRefusal } from "../../../governance/index.js";

/**
 * A form of other SQL dialects that this engine lacks, with equivalent fragments that it supports.
 * The fragments use a table `probe` with the columns `value` (a timestamp), `name` and `part`
 * (texts), `number`, `a` and `b`.
 */
export interface ForeignForm {
  /** The form's name in a hint. */
  readonly form: string;
  /**
   * Matches the form in the code, in which literals, quoted names and comments are replaced by
   * spaces.
   */
  readonly pattern?: RegExp;
  /** Matches SQLite's message for a statement with the form. */
  readonly failure?: RegExp;
  /** What PostgreSQL refuses in a statement with the form. */
  readonly refused?: RefusedWord;
  /** Equivalent fragments; at least one. */
  readonly instead: readonly string[];
}

/** What stands at the place of PostgreSQL's error. */
export interface RefusedWord {
  /** The SQLSTATE of the error. */
  readonly code: string;
  /** Names without quotes and schemas, in lower case, or operators. */
  readonly words: readonly string[];
  /** Whether the word is a function that is called with several arguments; absent: that does not matter. */
  readonly hasSeveralArguments?: true;
}

/** A foreign form found in a statement. */
export interface FoundForm {
  /** The equivalent to write. */
  readonly advice: string;
  /** The form's range in the statement, in UTF-16 units, if known. */
  readonly place?: { readonly at: number; readonly end: number };
}

/** Maximum number of foreign forms reported for one statement. */
const FORMS_FOUND_MAX = 3;

/**
 * The forms in a failed statement that the engine lacks.
 * @param refusal of the engine or its parser.
 */
export function foreignFormsIn(
  sql: string,
  refusal: EngineRefusal,
  { dialect, forms }: { readonly dialect: Dialect; readonly forms: readonly ForeignForm[] },
): readonly FoundForm[] {
  const code = codeOf(sql, dialect);
  const found: FoundForm[] = [];
  for (const { form, pattern, failure, refused, instead } of forms) {
    const advice = adviceOf(form, instead, dialect);
    const match = pattern?.exec(code);
    if (match !== null && match !== undefined) {
      const at = match.index + match[0].search(/\S/);
      found.push({ advice, place: { at, end: at + match[0].trim().length } });
    } else if (
      failure?.test(refusal.message) === true ||
      (refused !== undefined && isRefused(refused, refusal, { sql, code }))
    ) {
      found.push({ advice });
    }
    if (found.length === FORMS_FOUND_MAX) break;
  }
  return found;
}

function isRefused(
  { code: state, words, hasSeveralArguments }: RefusedWord,
  { code, at }: EngineRefusal,
  text: { readonly sql: string; readonly code: string },
): boolean {
  if (code !== state || at === undefined) return false;
  const word = nameAt(text.sql, at)?.path.at(-1) ?? OPERATOR.exec(text.sql.slice(at))?.[0] ?? "";
  if (!words.includes(word.toLowerCase())) return false;
  return hasSeveralArguments === undefined || isCalledWithSeveral(text.code, at);
}

const OPERATOR = /^[-+*/<>=~!@#%^&|`?]+/;

/** Whether a comma stands between the parentheses that follow a place, and not within further ones. */
function isCalledWithSeveral(code: string, at: number): boolean {
  let depth = 0;
  for (const character of code.slice(code.indexOf("(", at))) {
    if (character === "(" || character === "[") depth += 1;
    if (character === ")" || character === "]") depth -= 1;
    if (depth === 0) return false;
    if (depth === 1 && character === ",") return true;
  }
  return false;
}

/** A sentence that names the missing form and its equivalents. */
export function adviceOf(form: string, instead: readonly string[], dialect: Dialect): string {
  const engine = dialect === "sqlite" ? "SQLite" : "PostgreSQL";
  const fragments = instead.map((fragment) => `\`${fragment}\``).join(" or ");
  return `${engine} has no ${form}; write, with your own names, ${fragments}`;
}

/** The forms that are function calls, by name. */
export function functionForms(
  functions: Readonly<Record<string, readonly string[]>>,
): readonly ForeignForm[] {
  return Object.entries(functions).map(([name, instead]) => ({
    form: `function ${name}`,
    // A table may have such a name, followed by columns in parentheses.
    pattern: new RegExp(
      `(?<![\\w.]|\\b(?:into|table|references|view|with|on)\\s+)${name}\\s*\\(`,
      "i",
    ),
    instead,
  }));
}

/**
 * The statement at its original length, with literals, quoted names and comments replaced by
 * spaces.
 */
function codeOf(sql: string, dialect: Dialect): string {
  return tokenize(sql, dialect)
    .map(({ type, text }) => {
      if (type === "comment") return " ".repeat(text.length);
      const isQuoted = type.endsWith("string") || type === "name";
      if (!isQuoted || text.length < 2) return text;
      const opening = /^[a-z]?&?['"`[]?/i.exec(text)?.[0] ?? "";
      const blanks = " ".repeat(Math.max(0, text.length - opening.length - 1));
      return `${opening}${blanks}${text.slice(-1)}`;
    })
    .join("");
}
