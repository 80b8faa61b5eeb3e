import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import type { CodeToken } from "../../statement/code.js";
import type { Scope } from "../../statement/scope.js";
import { type Term, termAt, valueClauses, writtenFrom } from "./terms.js";

/**
 * A share or an average of two whole numbers, which drops what follows the point. A division that
 * makes groups, such as decades of years, is meant: only a ratio of aggregates, a division within an
 * aggregate, and a ratio that is multiplied afterwards are told.
 */
export function integerDivisions({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) =>
    valueClauses(scope).flatMap((tokens) =>
      divisionsIn(tokens).flatMap((index) => {
        const found = divisionAt(tokens, index, scope, tables.dialect);
        if (found === undefined) return [];
        const written = writtenFrom(sql, tokens[found.from], tokens[found.to]);
        const { sentence, names } = useInstead(`1.0 * ${written}`, written);
        const reason =
          "Both sides are whole numbers, so that the division drops what follows the point.";
        return [{ sentence: `${sentence} ${reason}`, names }];
      }),
    ),
  );
}

function divisionsIn(tokens: readonly CodeToken[]): readonly number[] {
  const found = tokens.flatMap(({ text }, index) => (text === "/" ? [index] : []));
  return found.slice(0, DIVISIONS_MAX);
}

function divisionAt(
  tokens: readonly CodeToken[],
  at: number,
  scope: Scope,
  dialect: ReadStatement["tables"]["dialect"],
): { readonly from: number; readonly to: number } | undefined {
  const right = termAt(tokens, at + 1, scope, dialect);
  const chain = factorsBefore(tokens, at, scope, dialect);
  const [first] = chain;
  if (first === undefined || right?.kind !== "integer") return undefined;
  if (chain.some(({ kind }) => kind !== "integer")) return undefined;
  const next = tokens[right.to + 1];
  if (next?.text === "::" || next?.text === "." || next?.text === "%") return undefined;
  const isRatio = right.isAggregate && chain.some(({ isAggregate }) => isAggregate);
  const around = callAround(tokens, at);
  if (around !== undefined && WHOLE.test(around)) return undefined;
  const isSummed = around !== undefined && /^(?:sum|avg)$/.test(around) && isFraction(right);
  const isPercent = next?.text === "*" && tokens[right.to + 2]?.text === "100";
  const isOfColumns = isPercent && right.literal === undefined;
  return isRatio || isSummed || isOfColumns ? { from: first.from, to: right.to } : undefined;
}

/** Functions around a division that want a whole number. */
const WHOLE = /^(?:floor|div|trunc|ceil|ceiling|cast|mod)$/;

/** A column, or a literal that a value is converted by. */
function isFraction({ literal }: Term): boolean {
  return literal === undefined || Number(literal) > 1;
}

/** The factors of the product that ends at a place, in their order; empty when one is not understood. */
function factorsBefore(
  tokens: readonly CodeToken[],
  at: number,
  scope: Scope,
  dialect: ReadStatement["tables"]["dialect"],
): readonly Term[] {
  const depth = tokens[at]?.depth ?? 0;
  let begin = at - 1;
  let closed = 0;
  for (; begin >= 0; begin -= 1) {
    const token = tokens[begin];
    if (token === undefined || token.depth < depth) break;
    if (at - begin > FACTOR_TOKENS_MAX) return [];
    if (token.depth > depth) continue;
    if (token.text === ")") closed += 1;
    // A parenthesis that is closed before the sign belongs to a factor.
    else if (token.text === "(" && closed > 0) closed -= 1;
    else if (SIGNS.test(token.text) || (token.kind === "word" && BOUNDS.test(token.lower))) break;
  }
  const factors: Term[] = [];
  for (let index = begin + 1; index < at;) {
    const term = termAt(tokens, index, scope, dialect);
    if (term === undefined || term.to >= at) return [];
    factors.push(term);
    const sign = tokens[term.to + 1];
    if (term.to + 1 < at && sign?.text !== "*" && sign?.text !== "/") return [];
    index = term.to + 2;
  }
  return factors;
}

/** Tokens of a product that are read. */
const FACTOR_TOKENS_MAX = 100;
/** Divisions of one clause that are judged. */
const DIVISIONS_MAX = 8;
const SIGNS = /^(?:,|\+|-|=|<|>|<=|>=|<>|!=|\|\||\()$/;
const BOUNDS = /^(?:distinct|all|and|or|not|then|else|when|case|between|in|like|select|by|set|as)$/;

/** The function whose parentheses stand around a place. */
function callAround(tokens: readonly CodeToken[], at: number): string | undefined {
  const depth = tokens[at]?.depth ?? 0;
  const open = tokens.findLastIndex(
    (token, index) => index < at && token.text === "(" && token.depth === depth - 1,
  );
  return open === -1 ? undefined : tokens[open - 1]?.lower;
}
