import type { Correction, ReadStatement } from "../../correction.js";
import { columnNamed, holdsKey } from "../../schema/known-tables.js";
import type { CodeToken } from "../../statement/code.js";
import { type KnownSource, type Scope, sourceOf } from "../../statement/scope.js";
import { closeOf, columnsIn } from "../../statement/select.js";
import { clauseOf, writtenFrom } from "./terms.js";

/** Sources of a query whose joins are followed. */
const SOURCES_MAX = 12;

/** An aggregate of columns of certain sources. */
interface Aggregate {
  readonly name: string;
  readonly of: ReadonlySet<KnownSource>;
  readonly text: string;
}

/**
 * Sums over the rows of one table that a join repeats. A join on a key of the other table keeps each row
 * once; any other join may repeat it. Two counts of different tables multiply each other in the same way.
 */
export function repeatedSums({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) => {
    if (scope.known.length < 2 || scope.known.length > SOURCES_MAX) return [];
    if (scope.known.length !== scope.sources.length) return [];
    const aggregates = aggregatesIn(scope, sql);
    const counted = new Set(aggregates.flatMap(({ of }) => [...of]));
    const grouped = new Set(
      columnsIn(clauseOf(scope, "group")).flatMap((column) => sourceOf(scope, column) ?? []),
    );
    return aggregates.flatMap((aggregate) => {
      const repeating = repeatedBy(scope, aggregate.of);
      if (repeating === undefined || grouped.has(repeating) || isAbsent(scope, repeating))
        return [];
      if (aggregate.name === "count" && counted.size < 2) return [];
      const [owner] = aggregate.of;
      const [one, other] = [owner, repeating].map((each) => each?.source.written ?? "");
      const what = aggregate.name === "count" ? "counts" : "adds";
      return [
        {
          sentence: `\`${aggregate.text}\` ${what} a row of ${one ?? ""} once for each of its rows of ${other ?? ""}: aggregate ${other ?? ""} in a subquery, or test it with EXISTS.`,
          names: [],
        },
      ];
    });
  });
}

function aggregatesIn(scope: Scope, sql: string): readonly Aggregate[] {
  const tokens = clauseOf(scope, "select");
  return tokens.flatMap((token, index): readonly Aggregate[] => {
    const open = tokens[index + 1];
    if (!/^(?:sum|count)$/.test(token.lower) || open?.text !== "(") return [];
    const close = closeOf(tokens, index + 1);
    const inner = tokens.slice(index + 2, close);
    if (inner[0]?.lower === "distinct" || isWindow(tokens, close)) return [];
    const columns = columnsIn(inner);
    const owners = columns.map((column) => sourceOf(scope, column));
    if (owners.length === 0 || owners.includes(undefined)) return [];
    const of = new Set(owners.filter((owner) => owner !== undefined));
    return [{ name: token.lower, of, text: writtenFrom(sql, token, tokens[close]) }];
  });
}

function isWindow(tokens: readonly CodeToken[], close: number): boolean {
  return (
    tokens[close + 1]?.lower === "over" || tokens.slice(close).some(({ lower }) => lower === "over")
  );
}

/** The first source whose rows are several for one row of the sources that are summed. */
function repeatedBy(scope: Scope, of: ReadonlySet<KnownSource>): KnownSource | undefined {
  const reached = new Set(of);
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const source of scope.known) {
      if (reached.has(source)) continue;
      const fixed = fixedColumns(scope, source, reached);
      if (fixed.joined.length === 0) continue;
      if (!isUnique(source, [...fixed.joined, ...fixed.constant])) return source;
      reached.add(source);
      isGrowing = true;
    }
  }
  return undefined;
}

/** A table without any known key, such as a view, is not judged. */
function isUnique({ table }: KnownSource, columns: readonly string[]): boolean {
  const hasKey = table.primaryKey.length > 0 || table.uniqueKeys.length > 0;
  return !hasKey || holdsKey(table, columns);
}

/** Columns of a source that the conditions equate with a column of a source reached before, or with a literal. */
function fixedColumns(scope: Scope, source: KnownSource, reached: ReadonlySet<KnownSource>) {
  const joined: string[] = [];
  const constant: string[] = [];
  for (const { left, operator, right } of scope.conditions) {
    const [other] = right;
    if (operator !== "=" || other === undefined || right.length > 1) continue;
    for (const [own, beside] of [
      [left, other],
      [other, left],
    ] as const) {
      if (own.kind !== "column" || sourceOf(scope, own.column) !== source) continue;
      if (beside.kind === "text" || beside.kind === "number" || beside.kind === "query")
        constant.push(own.column.name);
      if (beside.kind !== "column") continue;
      const owner = sourceOf(scope, beside.column);
      if (owner !== undefined && reached.has(owner)) joined.push(own.column.name);
    }
  }
  for (const name of source.source.using) joined.push(name);
  const isUsed = (name: string): boolean =>
    [...reached].some((each) => each.source.using.includes(name));
  for (const { name } of source.table.columns)
    if (isUsed(name.toLowerCase()) && columnNamed(source.table, name)) joined.push(name);
  return { joined, constant };
}

/** Whether WHERE keeps only rows without a partner: `b.id IS NULL`. */
function isAbsent(scope: Scope, { source }: KnownSource): boolean {
  const where = clauseOf(scope, "where");
  return where.some(
    ({ lower, at }, index) =>
      lower === "is" &&
      where[index + 1]?.lower === "null" &&
      columnsIn(where).some(
        (column) => column.qualifier === source.alias && column.end <= at && column.end >= at - 2,
      ),
  );
}
