import { tokenize } from "../../../plans/index.js";
import type { Dialect } from "../../../governance/index.js";

/**
 * A form of other databases that this one lacks, and fragments that run here instead. Fragments are
 * about a table `probe` with the columns `value` (a time), `name` and `part` (texts), `number`, `a` and `b`.
 */
export interface ForeignForm {
  /** As a hint calls it. */
  readonly form: string;
  /** Where it stands in the code, whose texts, quoted names and comments are blank. */
  readonly pattern?: RegExp;
  /** What the engine says of a statement that failed by it. */
  readonly failure?: RegExp;
  /** At least one. */
  readonly instead: readonly string[];
}

/** A foreign form that a statement has. */
export interface FoundForm {
  /** What to write instead. */
  readonly advice: string;
  /** Where it begins and ends, in UTF-16 units, if that is known. */
  readonly place?: { readonly at: number; readonly end: number };
}

/** Foreign forms of one statement that are told. */
const FORMS_FOUND_MAX = 3;

/**
 * The forms of a failed statement that the engine lacks.
 * @param failure what the engine, or its parser, said.
 */
export function foreignFormsIn(
  sql: string,
  failure: string,
  { dialect, forms }: { readonly dialect: Dialect; readonly forms: readonly ForeignForm[] },
): readonly FoundForm[] {
  const code = codeOf(sql, dialect);
  const found: FoundForm[] = [];
  for (const { form, pattern, failure: said, instead } of forms) {
    const advice = adviceOf(form, instead, dialect);
    const match = pattern?.exec(code);
    if (match !== null && match !== undefined) {
      const at = match.index + match[0].search(/\S/);
      found.push({ advice, place: { at, end: at + match[0].trim().length } });
    } else if (said?.test(failure) === true) found.push({ advice });
    if (found.length === FORMS_FOUND_MAX) break;
  }
  return found;
}

/** That the engine lacks something, and what to write instead. */
export function adviceOf(form: string, instead: readonly string[], dialect: Dialect): string {
  const engine = dialect === "sqlite" ? "SQLite" : "PostgreSQL";
  const fragments = instead.map((fragment) => `\`${fragment}\``).join(" or ");
  return `${engine} has no ${form}; write, with your own names, ${fragments}`;
}

/** Forms that are calls of functions, by name. */
export function functionForms(
  functions: Readonly<Record<string, readonly string[]>>,
): readonly ForeignForm[] {
  return Object.entries(functions).map(([name, instead]) => ({
    form: `function ${name}`,
    // A table may have such a name, and its columns follow in parentheses.
    pattern: new RegExp(
      `(?<![\\w.]|\\b(?:into|table|references|view|with|on)\\s+)${name}\\s*\\(`,
      "i",
    ),
    instead,
  }));
}

/** The statement, as long as it was, with blanks in its texts, quoted names and comments. */
function codeOf(sql: string, dialect: Dialect): string {
  return tokenize(sql, dialect)
    .map(({ kind, text }) => {
      if (kind === "comment") return " ".repeat(text.length);
      const isQuoted = kind.endsWith("string") || kind === "identifier";
      if (!isQuoted || text.length < 2) return text;
      const opening = /^[a-z]?&?['"`[]?/i.exec(text)?.[0] ?? "";
      const blanks = " ".repeat(Math.max(0, text.length - opening.length - 1));
      return `${opening}${blanks}${text.slice(-1)}`;
    })
    .join("");
}
