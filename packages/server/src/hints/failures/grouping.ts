import type { FailureRule } from "../correction.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";

/** A column beside an aggregate that is not grouped by, and an aggregate in WHERE. */
export const grouping: FailureRule = ({ fault, scopes, sql }) => {
  if (fault?.kind === "ungrouped column") {
    const { text } = fault.name;
    const sentence = `Add \`${text}\` to GROUP BY, or select an aggregate of it such as max(${text}).`;
    return [{ sentence, names: [] }];
  }
  if (fault?.kind !== "aggregate condition") return [];
  return scopes.flatMap(({ clauses }) =>
    conditionsOf(clauses.get("where") ?? [])
      .filter((tokens) => tokens.some(isAggregate))
      .map((tokens) => {
        const condition = sql.slice(tokens[0]?.at, tokens.at(-1)?.end);
        return { sentence: `Move \`${condition}\` from WHERE to HAVING.`, names: [] };
      }),
  );
};

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
