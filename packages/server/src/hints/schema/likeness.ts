import { relatedWords, wordsOf } from "../../catalog/index.js";
import { COMPARED_NAME_LENGTH_MAX } from "../../kernel/limits.js";
import { nearMiss } from "../../kernel/near-miss.js";

/** Minimum score of a name to be suggested in place of an unknown one. */
export const LIKENESS_MIN = 0.4;

/**
 * How probable it is that somebody who wrote one name meant the other, from 0 to 1: by their words,
 * with synonyms, and by their letters.
 */
export function likeness(written: string, candidate: string): number {
  if (Math.max(written.length, candidate.length) > COMPARED_NAME_LENGTH_MAX) {
    const isSameLength = written.length === candidate.length;
    return isSameLength && written.toLowerCase() === candidate.toLowerCase() ? 1 : 0;
  }
  const [own, other] = [lettersOf(written), lettersOf(candidate)];
  if (own === other) return 1;
  const byWords = wordLikeness(phraseWords(written), phraseWords(candidate));
  const byLetters = nearMiss(own, [other]) === undefined ? 0 : letterLikeness(own, other);
  return Math.max(byWords, byLetters);
}

/** The best candidate, with its score; the first one of a tie. */
export function mostLike<Candidate>(
  candidates: readonly Candidate[],
  scoreOf: (candidate: Candidate) => number,
  scoreMin: number = LIKENESS_MIN,
): Candidate | undefined {
  let best: Candidate | undefined;
  let bestScore = scoreMin;
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** Share of a word that only tells what kind of value it is. */
const KIND_WEIGHT = 0.4;
const SYNONYM_WEIGHT = 0.9;
/** Stems of words that are in many names. */
const KIND_WORDS: ReadonlySet<string> = new Set(
  [
    "id",
    "key",
    "code",
    "name",
    "date",
    "time",
    "at",
    "on",
    "no",
    "number",
    "type",
    "value",
    "is",
  ].flatMap((word) => wordsOf(word)),
);

function wordLikeness(written: readonly string[], candidate: readonly string[]): number {
  const matched = written.reduce((sum, word) => sum + matchOf(word, candidate), 0);
  const reverse = candidate.reduce((sum, word) => sum + matchOf(word, written), 0);
  const total = [...written, ...candidate].reduce((sum, word) => sum + weightOf(word), 0);
  return total === 0 ? 0 : (matched + reverse) / total;
}

function matchOf(word: string, others: readonly string[]): number {
  const weight = weightOf(word);
  if (others.includes(word)) return weight;
  const related = [...relatedWords(word), ...(ALIKE.get(word) ?? [])];
  if (others.some((other) => related.includes(other))) return weight * SYNONYM_WEIGHT;
  // `cust` begins `customer`, and `prod` `production`.
  const isBegun = others.some(
    (other) =>
      Math.min(word.length, other.length) >= 3 &&
      (other.startsWith(word) || word.startsWith(other)),
  );
  return isBegun ? weight * SYNONYM_WEIGHT : 0;
}

function weightOf(word: string): number {
  return KIND_WORDS.has(word) ? KIND_WEIGHT : 1;
}

/** Share of letters that stay; at most a little less than the same words. */
function letterLikeness(own: string, other: string): number {
  const [short, long] = own.length < other.length ? [own, other] : [other, own];
  return long.includes(short) ? 0.5 + 0.45 * (short.length / long.length) : 0.8;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The words of a name; a word that means a phrase is written out. */
function phraseWords(name: string): readonly string[] {
  return wordsOf(name.replaceAll(/[\p{L}]+/gu, (word) => PHRASES[word.toLowerCase()] ?? word));
}

/** Words of columns that other people name by two words. */
const PHRASES: Readonly<Record<string, string>> = {
  surname: "last name",
  lastname: "last name",
  firstname: "first name",
  forename: "first name",
  zip: "postal code",
  zipcode: "postal code",
  postcode: "postal code",
  birthday: "birth date",
  birthdate: "birth date",
  dob: "birth date",
  fullname: "full name",
  username: "user name",
};

/** Words that name the same property of a thing; the catalog's synonyms are of businesses. */
const PROPERTIES: readonly string[] = [
  "length duration runtime",
  "title name label caption heading",
  "amount total sum",
  "price rate cost",
  "description text summary",
  "start begin",
  "end finish",
  "created added inserted registered",
  "updated modified changed",
  "count quantity number",
  "status state",
  "kind type category class genre",
  "mail email",
  "phone tel mobile",
  "boss manager reports supervisor",
  "line item row entry detail",
  "method mode channel",
  "active enabled",
  "street road",
];

const ALIKE: ReadonlyMap<string, readonly string[]> = alikeByWord();

function alikeByWord(): ReadonlyMap<string, readonly string[]> {
  const alike = new Map<string, string[]>();
  for (const group of PROPERTIES) {
    const stems = [...new Set(group.split(" ").flatMap((word) => wordsOf(word)))];
    for (const word of stems) {
      const others = stems.filter((other) => other !== word);
      alike.set(word, [...(alike.get(word) ?? []), ...others]);
    }
  }
  return alike;
}
