import type { Dialect } from "../../../governance/index.js";
import { tokenize } from "../../../plans/index.js";
import { foreignFormsIn } from "./foreign-form.js";
import { POSTGRES_FORMS } from "./postgres-forms.js";
import { repaired, repairsOf, type Repair } from "./repairs.js";
import { reservedNames } from "./reserved-names.js";
import { edited, rewritesIn, sentenceOf } from "./rewrites/rewrites.js";
import { SQLITE_FORMS } from "./sqlite-forms.js";

/** A statement that its dialect's parser rejects. */
export interface UnparsableText {
  readonly sql: string;
  readonly dialect: Dialect;
  /** Where the parser stopped, in UTF-16 units. */
  readonly at: number;
  /** The parser's message. */
  readonly message: string;
  /** The parser's own hint, used when no better advice is found. */
  readonly parserHint?: string | undefined;
  /**
   * @returns the position at which the parser stops in an edited statement; `undefined` when it
   * accepts it.
   */
  readonly errorOf: (sql: string) => number | undefined;
}

/**
 * Length of the longest statement that is repaired, in characters. Each attempt parses the whole
 * statement.
 */
export const REPAIRED_LENGTH_MAX = 2048;
/** Edits that are tried on one statement. */
const REPAIRS_TRIED_MAX = 32;
/** Characters of the line that are shown on either side of the mark. */
const SHOWN_LENGTH_MAX = 40;

/**
 * Describes a syntax error so that the author can repair it: the parser's message and position, the
 * line with a mark, and the correction. Every advised edit has been parsed.
 */
export function describeSyntaxError(error: UnparsableText): string {
  const { sql, dialect, at, message } = error;
  const forms = dialect === "sqlite" ? SQLITE_FORMS : POSTGRES_FORMS;
  const [form] = foreignFormsIn(sql, { message }, { dialect, forms });
  const repair = form === undefined ? findRepair(error) : undefined;
  const place = wordAt(sql, at, dialect);
  const marked =
    form?.place ?? (repair === undefined ? place : { at: repair.at, end: repair.markedEnd });
  const advice =
    rewrittenAs(error) ?? form?.advice ?? repair?.advice ?? generalAdvice(error, place);
  const line = `"${markedLine(sql, marked)}"`;
  return `${message} (${placeOf(sql, at)}): ${[line, ...(advice === undefined ? [] : [advice])].join("; ")}`;
}

/**
 * The advice to write the forms of other dialects in this one. Given only when the parser accepts the rewritten
 * statement, or reads more of it than before.
 */
function rewrittenAs({ sql, dialect, at, errorOf }: UnparsableText): string | undefined {
  const edits = rewritesIn(sql, dialect);
  if (edits.length === 0) return undefined;
  const corrected = edited(sql, edits);
  const stoppedAt = errorOf(corrected);
  const isBetter = stoppedAt === undefined || stoppedAt - corrected.length > at - sql.length;
  return isBetter ? sentenceOf(edits) : undefined;
}

/** Advice for an error without a foreign form and without a known repair. */
function generalAdvice(
  { sql, parserHint }: UnparsableText,
  { at, end }: Place,
): string | undefined {
  if (at === end) return "the statement ends before it is complete";
  if (CLAUSE.test(sql.slice(at, end))) {
    return "clauses stand in the order FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, each once";
  }
  return parserHint !== undefined && EMPTY_HINT.test(parserHint) ? undefined : parserHint;
}

const CLAUSE = /^(?:where|group|having|order|limit)$/i;
/** Hints of SQLite's parser that add nothing to the error. */
const EMPTY_HINT = /^expected ;$|tokenizer/;

/**
 * The first edit after which the parser accepts the statement or, failing that, stops later in it.
 */
function findRepair({ sql, dialect, at, errorOf }: UnparsableText): Repair | undefined {
  if (sql.length > REPAIRED_LENGTH_MAX) return undefined;
  const quoted = reservedNames(sql, at, dialect, errorOf);
  if (quoted !== undefined) return quoted;
  let partial: Repair | undefined;
  let tried = 0;
  for (const repair of repairsOf(sql, at, dialect)) {
    const stoppedAt = errorOf(repaired(sql, repair));
    if (stoppedAt === undefined) return repair;
    const moved = repair.text.length - (repair.end - repair.at);
    // An edit that only moves the error is no repair, except a corrected keyword.
    const isKeyword = repair.advice.startsWith("did you mean");
    if (isKeyword && stoppedAt - moved > Math.max(at, repair.end)) partial ??= repair;
    tried += 1;
    if (tried === REPAIRS_TRIED_MAX) break;
  }
  return partial;
}

/** A range of the statement, in UTF-16 units. */
interface Place {
  readonly at: number;
  readonly end: number;
}

/** The word or symbol at a position; empty at the end. */
function wordAt(sql: string, at: number, dialect: Dialect): Place {
  let begin = 0;
  for (const { type, text } of tokenize(sql, dialect)) {
    const end = begin + text.length;
    if (end > at && type !== "blank" && type !== "comment") return { at: begin, end };
    begin = end;
  }
  return { at: sql.length, end: sql.length };
}

/**
 * The line around a position, shortened to fit a message, with the range between `>>>` and `<<<`.
 */
function markedLine(sql: string, { at, end }: Place): string {
  const lineBegin = sql.lastIndexOf("\n", at - 1) + 1;
  const newline = sql.indexOf("\n", at);
  const lineEnd = newline === -1 ? sql.length : newline;
  const before = sql.slice(lineBegin, at);
  const marked = sql.slice(at, Math.min(end, at + SHOWN_LENGTH_MAX));
  const behind = sql.slice(end, Math.max(end, lineEnd));
  const shownBefore =
    before.length > SHOWN_LENGTH_MAX ? `…${before.slice(-SHOWN_LENGTH_MAX)}` : before;
  const shownBehind =
    behind.length > SHOWN_LENGTH_MAX ? `${behind.slice(0, SHOWN_LENGTH_MAX)}…` : behind;
  return `${shownBefore.trimStart()}>>>${marked}<<<${shownBehind.trimEnd()}`;
}

function placeOf(sql: string, at: number): string {
  const lines = sql.slice(0, at).split("\n");
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? "")].length + 1}`;
}
