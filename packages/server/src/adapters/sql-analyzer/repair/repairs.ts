import { nearMiss } from "../../../kernel/near-miss.js";
import type { Token } from "@steward/schema/sql";
import { tokenize } from "../../../plans/index.js";
import type { Dialect } from "../../../governance/index.js";
import { CLAUSE_KEYWORDS, KEYWORDS, OMITTED_KEYWORDS } from "./keywords.js";

/** One edit of a statement, with its description for the author. */
export interface Repair {
  /**
   * Start of the range that `text` replaces, in UTF-16 units; the range is empty for an insertion.
   */
  readonly at: number;
  readonly end: number;
  readonly text: string;
  readonly advice: string;
  /** End of the range that the advice calls "this"; it starts at `at`. */
  readonly markedEnd: number;
}

/** A token that is neither whitespace nor a comment, with its position. */
export interface Lexeme extends Token {
  readonly at: number;
}

/** Number of words before the error's position that may be the misspelt one. */
const WORDS_BEFORE_MAX = 3;
/** Keywords that are tried in place of one word. */
const KEYWORDS_TRIED_MAX = 3;

/**
 * Edits that may repair a statement, most probable first. A parser stops at the first word that
 * cannot follow, so the mistake is at that word or within a few words before it.
 * @param errorAt where the parser stopped, in UTF-16 units.
 */
export function* repairsOf(sql: string, errorAt: number, dialect: Dialect): Generator<Repair> {
  const lexemes = lexemesOf(sql, dialect);
  const found = lexemes.findIndex(({ at, text }) => at + text.length > errorAt);
  const index = found === -1 ? lexemes.length : found;
  const before = lexemes[index - 1];
  const here = lexemes[index];
  yield* misspellings(lexemes.slice(Math.max(0, index - WORDS_BEFORE_MAX), index + 1).reverse());
  yield* quotesInTexts(sql, errorAt);
  for (const comma of [before, here]) {
    if (comma?.text === ",") yield replacement(comma, "", "leave out this comma");
  }
  if (here !== undefined) yield insertion(here, ", ", "put a comma before this");
  if (here !== undefined && before?.text.toUpperCase() === here.text.toUpperCase()) {
    yield replacement(here, "", `leave out the second ${here.text}`);
  }
  for (const name of [here, before]) if (name !== undefined) yield* quotings(name);
  const closing = "put a closing parenthesis before this";
  if (here !== undefined) yield insertion(here, ") ", closing);
  const end = { at: sql.trimEnd().length, text: "" };
  yield insertion(end, ")", "put a closing parenthesis at the end");
  if (here?.text === ")") yield replacement(here, "", "leave out this closing parenthesis");
  // At the end of the text, the missing word can only follow.
  if (here !== undefined) yield* omissions(here);
  if (here !== undefined && before !== undefined) yield* omissions(before);
}

/**
 * Keywords to try for a word that the parser read as a name, as in `SELECT FORM users`: without a
 * select list, the parser reads an asterisk there.
 */
export function* keywordsForName(sql: string, name: string, dialect: Dialect): Generator<Repair> {
  const lexemes = lexemesOf(sql, dialect);
  for (const [index, lexeme] of lexemes.entries()) {
    if (lexeme.text.toUpperCase() !== name.toUpperCase()) continue;
    const isFirst = lexemes[index - 1]?.text.toUpperCase() === "SELECT";
    for (const keyword of keywordsNear(lexeme)) {
      const text = keyword === "FROM" && isFirst ? "* FROM" : keyword;
      yield replacement(lexeme, text, `did you mean ${text} in place of ${lexeme.text}?`);
    }
  }
}

/** The statement after the edit. */
export function repaired(sql: string, { at, end, text }: Repair): string {
  return `${sql.slice(0, at)}${text}${sql.slice(end)}`;
}

/** The tokens of a statement, without blanks and comments. */
export function lexemesOf(sql: string, dialect: Dialect): readonly Lexeme[] {
  let at = 0;
  const lexemes: Lexeme[] = [];
  for (const token of tokenize(sql, dialect)) {
    if (token.type !== "blank" && token.type !== "comment") lexemes.push({ ...token, at });
    at += token.text.length;
  }
  return lexemes;
}

function* misspellings(lexemes: readonly Lexeme[]): Generator<Repair> {
  for (const lexeme of lexemes) {
    for (const keyword of keywordsNear(lexeme)) {
      yield replacement(lexeme, keyword, `did you mean ${keyword}?`);
    }
  }
}

/** Keywords similar to a word that is not a keyword. */
function keywordsNear({ type, text }: Lexeme): readonly string[] {
  const word = text.toUpperCase();
  if (type !== "word" || !/^[A-Z]{2,}$/.test(word) || KEYWORDS.includes(word)) return [];
  let candidates = KEYWORDS.filter((keyword) => isAlike(word, keyword));
  const near: string[] = [];
  while (near.length < KEYWORDS_TRIED_MAX) {
    const keyword = nearMiss(word, candidates);
    if (keyword === undefined) break;
    near.push(keyword);
    candidates = candidates.filter((candidate) => candidate !== keyword);
  }
  return near;
}

/**
 * Words of two letters are too short to compare, and a word that contains a keyword is not a
 * misspelling of it.
 */
function isAlike(word: string, keyword: string): boolean {
  if (Math.abs(word.length - keyword.length) > 1) return false;
  return (
    word.length > 2 || keyword.length > 2 || [...word].sort().join() === [...keyword].sort().join()
  );
}

/** In `'it's'` the quote between letters ends the literal. */
function* quotesInTexts(sql: string, errorAt: number): Generator<Repair> {
  const quote = /(?<=\p{L})'(?=\p{L})/gu;
  const places = [...sql.matchAll(quote)].map(({ index }) => index);
  const at = places.filter((place) => place <= errorAt).at(-1);
  if (at === undefined) return;
  yield {
    at,
    end: at + 1,
    text: "''",
    markedEnd: at + 1,
    advice: "write a single quote within a text twice, as ''",
  };
}

function* quotings(lexeme: Lexeme): Generator<Repair> {
  const { type, text } = lexeme;
  if (type !== "word" || !/^[a-z_]/i.test(text) || CLAUSE_KEYWORDS.has(text.toUpperCase())) return;
  yield replacement(
    lexeme,
    `"${text}"`,
    `${text} is a reserved word: as a name it is written "${text}"`,
  );
}

function* omissions(follower: Lexeme): Generator<Repair> {
  for (const keyword of OMITTED_KEYWORDS) {
    yield insertion(follower, `${keyword} `, `put ${keyword} before this`);
  }
}

function replacement({ at, text: old }: Lexeme, text: string, advice: string): Repair {
  const end = at + old.length;
  return { at, end, text, advice, markedEnd: end };
}

/** @param follower the text after the insertion. */
function insertion(
  { at, text: following }: Pick<Lexeme, "at" | "text">,
  text: string,
  advice: string,
): Repair {
  return { at, end: at, text, advice, markedEnd: at + following.length };
}
