import { type Correction, type FailureRule, useInstead } from "../correction.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";
import type { Scope } from "../statement/scope.js";
import { columnsIn } from "../statement/select.js";
import { conditionsOf, isOfGroups, rowsOf } from "./grouping.js";

/**
 * A name that SELECT gives to an expression, in WHERE or HAVING, where PostgreSQL does not know it: the condition with
 * the expression itself, of an aggregate in HAVING.
 */
export const selectAlias: FailureRule = ({ fault, scopes, sql }) => {
  if (fault?.kind !== "unknown column" && fault?.kind !== "aggregate condition") return [];
  const name = fault.kind === "unknown column" ? fault.name.lower : undefined;
  for (const scope of scopes) {
    if (name !== undefined && !aliasesOf(scope).has(name)) continue;
    for (const clause of ["where", "having"] as const) {
      for (const condition of conditionsOf(scope.clauses.get(clause) ?? [])) {
        const found = corrected(scope, condition, clause, sql);
        if (found !== undefined) return [found];
      }
    }
  }
  return [];
};

function corrected(
  scope: Scope,
  condition: readonly CodeToken[],
  clause: "where" | "having",
  sql: string,
): Correction | undefined {
  const aliases = aliasesOf(scope);
  const isAlias = (token: CodeToken, index: number): boolean =>
    aliases.has(token.lower) &&
    condition[index - 1]?.text !== "." &&
    condition[index + 1]?.text !== "." &&
    condition[index + 1]?.text !== "(";
  if (!condition.some(isAlias)) return undefined;
  const last = condition.at(-1);
  const written = sql.slice(condition[0]?.at, last?.end);
  const isAggregate = [...aliases].some(
    ([name, tokens]) =>
      tokens.some(({ lower }) => AGGREGATES.has(lower)) &&
      condition.some(({ lower }) => lower === name),
  );
  const beside = columnsIn(condition).filter(({ name, qualifier }) => {
    return qualifier !== undefined || !aliases.has(name);
  });
  const isOfRows = clause === "where" && isAggregate && !isOfGroups(scope, beside);
  const rows = isOfRows ? rowsOf(scope, sql) : undefined;
  if (isOfRows && rows === undefined) return undefined;
  const parts = condition.map((token, index) => {
    const expression = isAlias(token, index) ? aliases.get(token.lower) : undefined;
    const blank = sql.slice(token.end, condition[index + 1]?.at ?? token.end);
    if (expression === undefined) return token.text + blank;
    const text = textOf(expression, sql);
    return (rows === undefined ? text : `(SELECT ${text} FROM ${rows})`) + blank;
  });
  const fragment = parts.join("");
  if (clause === "having" || !isAggregate || isOfRows) return useInstead(fragment, written);
  return {
    sentence: `Move \`${written}\` from WHERE to HAVING. There, use \`${fragment}\`.`,
    names: [],
  };
}

function textOf(tokens: readonly CodeToken[], sql: string): string {
  const text = sql.slice(tokens[0]?.at, tokens.at(-1)?.end);
  const isSimple = tokens.every(
    ({ depth, kind }, index) =>
      depth > 0 || kind === "word" || kind === "name" || index === tokens.length - 1 || index === 1,
  );
  return isSimple ? text : `(${text})`;
}

/** The expressions that AS names; the names of plain columns are left out. */
function aliasesOf(scope: Scope): ReadonlyMap<string, readonly CodeToken[]> {
  const items: CodeToken[][] = [[]];
  for (const token of scope.clauses.get("select") ?? []) {
    if (token.text === "," && token.depth === 0) items.push([]);
    else items.at(-1)?.push(token);
  }
  return new Map(
    items.flatMap((item) => {
      const alias = item.at(-1);
      const isNamed = item.at(-2)?.lower === "as" && item.at(-2)?.depth === 0;
      const isWindow = item.some(({ lower }) => lower === "over");
      return isNamed && alias !== undefined && !isWindow
        ? [[alias.lower, item.slice(0, -2)] as const]
        : [];
    }),
  );
}
