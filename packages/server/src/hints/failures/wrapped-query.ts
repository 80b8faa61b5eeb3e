import type { Correction, FailureRule } from "../correction.js";
import { useInstead } from "../correction.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";
import type { Scope } from "../statement/scope.js";
import { closeOf, columnsIn, isName } from "../statement/select.js";
import { conditionsOf } from "./grouping.js";

/** A condition on a window function, and an aggregate of an aggregate: both need a query around the first one. */
export const wrappedQuery: FailureRule = ({ fault, scopes, sql }) => {
  const [scope, ...others] = scopes.filter(({ query }) => query.outer === undefined);
  if (scope === undefined || others.length > 0 || scope.clauses.has("with")) return [];
  if (fault?.kind === "window condition") return windowOutside(scope, sql);
  if (fault?.kind === "aggregate condition") return aggregateOutside(scope, sql);
  const isOfAlias = fault?.kind === "unknown column" && windowAliases(scope).has(fault.name.lower);
  return isOfAlias ? windowOutside(scope, sql) : [];
};

/** One item of a SELECT list, with the name that a query around it uses. */
interface Item {
  readonly tokens: readonly CodeToken[];
  readonly name: string | undefined;
}

function itemsOf(scope: Scope): readonly Item[] {
  const items: CodeToken[][] = [[]];
  for (const token of scope.clauses.get("select") ?? []) {
    if (token.text === "," && token.depth === 0) items.push([]);
    else items.at(-1)?.push(token);
  }
  return items.map((tokens) => {
    const last = tokens.at(-1);
    const isNamed =
      tokens.every((token) => token.text === "." || isName(token)) ||
      tokens.at(-2)?.lower === "as" ||
      tokens.at(-2)?.text === ")";
    return { tokens, name: isNamed && isName(last) ? last.text : undefined };
  });
}

function isWindow({ tokens }: Item): boolean {
  return tokens.some(({ lower, kind }) => lower === "over" && kind === "word");
}

function windowAliases(scope: Scope): ReadonlySet<string> {
  return new Set(
    itemsOf(scope).flatMap((item) =>
      isWindow(item) && item.name !== undefined ? [item.name.toLowerCase()] : [],
    ),
  );
}

function windowOutside(scope: Scope, sql: string): readonly Correction[] {
  const items = itemsOf(scope);
  if (
    scope.clauses.has("group") ||
    items.some(({ name, tokens }) => name === undefined || tokens[0]?.lower === "distinct")
  )
    return [];
  const aliases = windowAliases(scope);
  const text = (tokens: readonly CodeToken[]): string =>
    sql.slice(tokens[0]?.at, tokens.at(-1)?.end);
  const conditions = conditionsOf(scope.clauses.get("where") ?? []);
  const isOutside = (tokens: readonly CodeToken[]): boolean =>
    tokens.some(({ lower, kind }) => aliases.has(lower) || (lower === "over" && kind === "word"));
  const added: string[] = [];
  const outside = conditions.filter(isOutside).map((tokens) => {
    const over = tokens.findIndex(({ lower, kind }) => lower === "over" && kind === "word");
    if (over === -1) return text(tokens);
    const close = tokens.findIndex(
      ({ text: own, depth }, at) =>
        at > over + 1 && own === ")" && depth === tokens[over + 1]?.depth,
    );
    const window = text(tokens.slice(0, close + 1));
    const same = items.find((item) => isWindow(item) && text(item.tokens).startsWith(window));
    if (same === undefined) added.push(`, ${window} AS place`);
    return `${same?.name ?? "place"}${sql.slice(tokens[close]?.end, tokens.at(-1)?.end)}`;
  });
  if (added.length > 1) return [];
  if (outside.length === 0) return [];
  const inside = conditions.filter((tokens) => !isOutside(tokens)).map(text);
  const tail = (["order", "limit"] as const).flatMap((name) => {
    const tokens = scope.clauses.get(name);
    if (tokens === undefined) return [];
    return [
      `${name.toUpperCase()} ${tokens
        .map(({ text: own }) => own)
        .join(" ")
        .replaceAll(" . ", ".")
        .replaceAll(/\b\w+\.(?=[\w"])/g, "")
        .replaceAll(/ ([,)])/g, "$1")
        .replaceAll("( ", "(")}`,
    ];
  });
  const from = text(scope.clauses.get("from") ?? []);
  const where = inside.length === 0 ? "" : ` WHERE ${inside.join(" AND ")}`;
  const names = items.map(({ name }) => name).join(", ");
  const inner = `SELECT ${text(scope.clauses.get("select") ?? [])}${added.join("")} FROM ${from}${where}`;
  const fragment = [
    `SELECT ${names} FROM (${inner}) AS ranked WHERE ${outside.join(" AND ")}`,
    ...tail,
  ].join(" ");
  return [useInstead(fragment, written(scope, sql))];
}

function written({ query }: Scope, sql: string): string {
  const last = query.tokens.findLast(({ text }) => text !== ";");
  return sql.slice(query.tokens[0]?.at, last?.end);
}

/** `max(count(*))` of groups: the outer aggregate of a query of the inner one. */
function aggregateOutside(scope: Scope, sql: string): readonly Correction[] {
  const select = scope.clauses.get("select") ?? [];
  const [outer, open, inner] = select;
  if (outer === undefined || inner === undefined || open?.text !== "(") return [];
  const close = closeOf(select, 1);
  const isNested =
    AGGREGATES.has(outer.lower) && AGGREGATES.has(inner.lower) && select[3]?.text === "(";
  if (!isNested || closeOf(select, 3) !== close - 1 || select.length > close + 3) return [];
  if (
    scope.clauses.has("order") ||
    scope.clauses.has("limit") ||
    columnsIn(select.slice(close + 1)).length > 1
  )
    return [];
  const rest = sql.slice(select.at(-1)?.end, sql.length).replace(/;\s*$/, "").trim();
  const alias = sql.slice(select[close]?.end, select.at(-1)?.end);
  const value = sql.slice(inner.at, select[close - 1]?.end);
  const fragment = `SELECT ${outer.text}(value)${alias} FROM (SELECT ${value} AS value ${rest}) AS groups`;
  return [useInstead(fragment, written(scope, sql))];
}
