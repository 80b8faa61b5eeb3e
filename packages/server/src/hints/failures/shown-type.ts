import type { Scope } from "../statement/scope.js";
import type { ColumnRef } from "../statement/select.js";

/** Whether a condition compares a column with a text that is no number, such as a pattern or a date. */
export function isComparedWithText({ query }: Scope, column: ColumnRef): boolean {
  const { tokens } = query;
  let next = tokens.findIndex(({ end }) => end === column.end) + 1;
  if (next === 0) return false;
  if (tokens[next]?.lower === "not") next += 1;
  const operator = tokens[next]?.lower ?? "";
  if (!COMPARISON.test(operator)) return false;
  if (tokens[next + 1]?.text === "(") next += 1;
  const value = tokens.slice(next + 1).find(({ lower }) => !/^(?:date|timestamp)$/.test(lower));
  return value?.kind === "text" && (PATTERN.test(operator) || !NUMBER.test(value.text));
}

const PATTERN = /^(?:like|ilike|glob)$/;
const COMPARISON = /^(?:like|ilike|glob|in|between|[<>=!]{1,2})$/;
const NUMBER = /^'\s*[-+]?[\d.]+\s*'$/;

/** Whether a type holds numbers only, so that no such text is one of its values. */
export function isNumeric(type: string): boolean {
  return NUMERIC.test(type);
}

const NUMERIC =
  /^(?:(?:tiny|small|medium|big)?int(?:eger|\d)?|(?:small|big)?serial|numeric|decimal|real|float\d?|double(?: precision)?)\b/i;
