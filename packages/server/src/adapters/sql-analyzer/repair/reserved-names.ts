import type { Dialect } from "../../../governance/index.js";
import { type Lexeme, lexemesOf, type Repair, repaired } from "./repairs.js";

/** Different reserved words that one statement may use as names. */
const WORDS_MAX = 4;

/**
 * The quotes that a statement needs where it uses reserved words as names: all of them in one repair, because the
 * parser accepts none of them alone. The repaired statement has been parsed.
 * @param errorAt where the parser stopped, in UTF-16 units.
 * @param errorOf where the parser stops in an edited statement; `undefined` when it accepts it.
 */
export function reservedNames(
  sql: string,
  errorAt: number,
  dialect: Dialect,
  errorOf: (sql: string) => number | undefined,
): Repair | undefined {
  // A hint quotes SQL between backticks, so SQL that contains one cannot be quoted.
  if (sql.includes("`")) return undefined;
  const lexemes = lexemesOf(sql, dialect);
  const words = new Set<string>();
  let stopped = errorAt;
  while (words.size < WORDS_MAX) {
    const word = nameBefore(lexemes, stopped, words);
    if (word === undefined) return undefined;
    words.add(word);
    const repair = quoting(sql, lexemes, words, dialect);
    const next = errorOf(repaired(sql, repair));
    if (next === undefined) return repair;
    stopped = placeBefore(lexemes, words, next);
  }
  return undefined;
}

/** The word used as a name at the place of the error, or the one before it. */
function nameBefore(
  lexemes: readonly Lexeme[],
  errorAt: number,
  words: ReadonlySet<string>,
): string | undefined {
  const found = lexemes.findIndex(({ at, text }) => at + text.length > errorAt);
  const here = found === -1 ? lexemes.length : found;
  for (const index of [here, here - 1]) {
    const word = lexemes[index]?.text.toUpperCase();
    if (word !== undefined && !words.has(word) && isNamePlace(lexemes, index)) return word;
  }
  return undefined;
}

/** Converts a place in the statement with quoted names to the same place in the original statement. */
function placeBefore(
  lexemes: readonly Lexeme[],
  words: ReadonlySet<string>,
  place: number,
): number {
  let added = 0;
  for (const index of lexemes.keys()) {
    const lexeme = lexemes[index];
    if (lexeme === undefined || lexeme.at + added >= place) break;
    if (isQuotedHere(lexemes, index, words)) added += 2;
  }
  return place - added;
}

function isQuotedHere(
  lexemes: readonly Lexeme[],
  index: number,
  words: ReadonlySet<string>,
): boolean {
  return words.has(lexemes[index]?.text.toUpperCase() ?? "") && isNamePlace(lexemes, index);
}

/** Whether a word stands where a name is expected, and what follows does not belong to the word. */
function isNamePlace(lexemes: readonly Lexeme[], index: number): boolean {
  const [before, word, next] = [lexemes[index - 1], lexemes[index], lexemes[index + 1]];
  if (word?.type !== "word" || before === undefined) return false;
  // A keyword that is written twice is no name.
  if (word.text.toUpperCase() === before.text.toUpperCase()) return false;
  const follower = next?.text.toUpperCase() ?? ";";
  const isFollowed = next?.type === "word" ? AFTER_NAMES.has(follower) : AFTER.test(follower);
  const isExpected =
    before.type === "word" ? BEFORE_NAMES.has(before.text.toUpperCase()) : BEFORE.test(before.text);
  return isFollowed && isExpected;
}

const BEFORE = /^(?:[,(.]|[-+*/%<>=!|]+)$/;
const AFTER = /^(?:[,).;]|[-+*/%<>=!|]+|::)$/;
const BEFORE_NAMES: ReadonlySet<string> = new Set(
  "SELECT DISTINCT BY WHERE AND OR NOT ON HAVING SET WHEN THEN ELSE CASE FROM JOIN INTO UPDATE RETURNING".split(
    " ",
  ),
);
const AFTER_NAMES: ReadonlySet<string> = new Set(
  (
    "FROM AS IS IN LIKE BETWEEN NOT AND OR ASC DESC WHERE GROUP ORDER HAVING LIMIT NULLS JOIN LEFT INNER UNION SET " +
    "WHEN THEN ELSE END ON USING CROSS RIGHT FULL VALUES RETURNING EXCEPT INTERSECT OFFSET"
  ).split(" "),
);

function quoting(
  sql: string,
  lexemes: readonly Lexeme[],
  words: ReadonlySet<string>,
  dialect: Dialect,
): Repair {
  const places = [...lexemes.keys()].filter((index) => isQuotedHere(lexemes, index, words));
  const first = lexemes[places[0] ?? 0];
  const last = lexemes[places.at(-1) ?? 0];
  const at = first?.at ?? 0;
  const end = (last?.at ?? 0) + (last?.text.length ?? 0);
  const text = places.reduceRight(
    (edited, index) => {
      const word = lexemes[index];
      if (word === undefined) return edited;
      const begin = word.at - at;
      const name = quotedName(word.text, dialect);
      return edited.slice(0, begin) + name + edited.slice(begin + word.text.length);
    },
    sql.slice(at, end),
  );
  const markedEnd = at + (first?.text.length ?? 0);
  return { at, end, text, markedEnd, advice: adviceOf(sql, lexemes, places, text, dialect) };
}

/** PostgreSQL reads a name without quotes in lower case. */
function quotedName(word: string, dialect: Dialect): string {
  const isUpper = word === word.toUpperCase();
  return `"${dialect === "postgres" && isUpper ? word.toLowerCase() : word}"`;
}

function adviceOf(
  sql: string,
  lexemes: readonly Lexeme[],
  places: readonly number[],
  text: string,
  dialect: Dialect,
): string {
  const [first = 0, ...others] = places;
  const word = lexemes[first];
  if (word === undefined) return "";
  if (others.length === 0) {
    return `${word.text} is a reserved word: as a name it is written ${quotedName(word.text, dialect)}`;
  }
  // With the whole names around it and what stands before, the fragment is not taken for the same words elsewhere.
  let start = first - 1;
  if (lexemes[start]?.text === ",") start -= 1;
  while (lexemes[start]?.text === "." || lexemes[start - 1]?.text === ".") start -= 1;
  let stop = others.at(-1) ?? first;
  while (lexemes[stop + 1]?.text === ".") stop += 2;
  const lead = sql.slice(lexemes[start]?.at, word.at);
  const quotedEnd = lexemes[others.at(-1) ?? first];
  const end = (quotedEnd?.at ?? 0) + (quotedEnd?.text.length ?? 0);
  const tail = sql.slice(end, (lexemes[stop]?.at ?? end) + (lexemes[stop]?.text.length ?? 0));
  const written = `${lead}${sql.slice(word.at, end)}${tail}`;
  return `Use \`${lead}${text}${tail}\` instead of \`${written}\`. Reserved words are quoted where they are names.`;
}
