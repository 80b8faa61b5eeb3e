import { type Correction, type FailureRule, useInstead } from "../correction.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";
import type { Scope } from "../statement/scope.js";
import { closeOf, type ColumnRef, columnsIn } from "../statement/select.js";

/** A column beside an aggregate that is not grouped by, and an aggregate in WHERE. */
export const grouping: FailureRule = ({ fault, scopes, sql }) => {
  if (fault?.kind === "ungrouped column") {
    const { text } = fault.name;
    const sentence = `Add \`${text}\` to GROUP BY, or select an aggregate of it such as max(${text}).`;
    return [{ sentence, names: [] }];
  }
  if (fault?.kind !== "aggregate condition") return [];
  return scopes.flatMap((scope) => {
    const conditions = conditionsOf(scope.clauses.get("where") ?? []);
    return conditions
      .filter((tokens) => tokens.some(isAggregate))
      .flatMap((tokens) => aggregateCorrection(scope, tokens, conditions.length > 1, sql));
  });
};

/** HAVING for a condition on groups; for one on each row, the aggregate of all rows in a query of its own. */
function aggregateCorrection(
  scope: Scope,
  tokens: readonly CodeToken[],
  hasOthers: boolean,
  sql: string,
): readonly Correction[] {
  const calls = callsIn(tokens);
  const isInside = ({ at }: { readonly at: number }): boolean =>
    calls.some((call) => call.at <= at && at < call.end);
  const written = sql.slice(tokens[0]?.at, tokens.at(-1)?.end);
  if (isOfGroups(scope, columnsIn(tokens.filter((token) => !isInside(token))))) {
    return [{ sentence: `Move \`${written}\` from WHERE to HAVING.`, names: [] }];
  }
  const rows = rowsOf(scope, sql);
  const isOwn = columnsIn(tokens.filter(isInside)).every(
    ({ qualifier }) =>
      qualifier === undefined || scope.sources.some(({ alias }) => alias === qualifier),
  );
  if (rows === undefined || !isOwn) return [];
  const start = tokens[0]?.at ?? 0;
  const fragment = calls.reduceRight((text, { at, end }) => {
    const query = `(SELECT ${sql.slice(at, end)} FROM ${rows})`;
    return text.slice(0, at - start) + query + text.slice(end - start);
  }, written);
  const correction = useInstead(fragment, written);
  if (!hasOthers) return [correction];
  const more =
    "The aggregate is then of all rows: repeat the other conditions in its query where it is meant to be of the rows that they keep.";
  return [{ ...correction, sentence: `${correction.sentence} ${more}` }];
}

/** The calls of aggregates that are in no other one, with their FILTER. */
function callsIn(tokens: readonly CodeToken[]): readonly { at: number; end: number }[] {
  const calls: { at: number; end: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!isAggregate(token, index, tokens) || token.at < (calls.at(-1)?.end ?? 0)) continue;
    let close = closeOf(tokens, index + 1);
    if (tokens[close + 1]?.lower === "filter") close = closeOf(tokens, close + 2);
    calls.push({ at: token.at, end: tokens[close]?.end ?? token.end });
  }
  return calls;
}

/** Whether a condition with these columns beside its aggregates can be one on groups: each has one value in a group. */
export function isOfGroups({ clauses }: Scope, columns: readonly ColumnRef[]): boolean {
  const grouped = columnsIn(clauses.get("group")?.slice(1) ?? []);
  return columns.every(({ name }) => grouped.some((each) => each.name === name));
}

/** What FROM has, or the table that UPDATE changes. */
export function rowsOf({ clauses }: Scope, sql: string): string | undefined {
  const [from, update] = [clauses.get("from"), clauses.get("update")];
  const rows = update === undefined ? from : from === undefined ? update : undefined;
  return rows === undefined ? undefined : sql.slice(rows[0]?.at, rows.at(-1)?.end);
}

/** The conditions that AND joins; one with OR at the top stays whole. */
export function conditionsOf(tokens: readonly CodeToken[]): readonly (readonly CodeToken[])[] {
  const top = tokens[0]?.depth ?? 0;
  if (tokens.some(({ lower, depth }) => lower === "or" && depth === top)) return [tokens];
  const conditions: CodeToken[][] = [[]];
  let isRange = false;
  for (const token of tokens) {
    if (token.lower === "between") isRange = true;
    const isAnd = token.lower === "and" && token.depth === top;
    if (isAnd && !isRange) conditions.push([]);
    else conditions.at(-1)?.push(token);
    if (isAnd) isRange = false;
  }
  return conditions.filter((each) => each.length > 0);
}

function isAggregate({ lower }: CodeToken, index: number, tokens: readonly CodeToken[]): boolean {
  return AGGREGATES.has(lower) && tokens[index + 1]?.text === "(";
}
