import type { Relation } from "@steward/schema";
import { type Correction, type NamedPart, useInstead } from "../correction.js";
import { columnNamed, type KeyEdge, type KnownTables } from "../schema/known-tables.js";
import { likeness } from "../schema/likeness.js";
import type { KnownSource, Scope } from "../statement/scope.js";
import type { ColumnRef } from "../statement/select.js";

/** Joins in a row that a hint names. */
const STEPS_MAX = 2;

/** A way from a source of the query to another table, along foreign keys. */
interface Way {
  readonly start: KnownSource;
  readonly edges: readonly KeyEdge[];
}

/** The join that reaches a table whose columns the query names without having it in FROM. */
export function joinToTable(
  scope: Scope,
  column: ColumnRef,
  tables: KnownTables,
  from?: KnownSource,
): readonly Correction[] {
  const { qualifier = "" } = column;
  const target = tables.find(qualifier);
  if (from !== undefined) return joinBetween(scope, column, from, tables);
  const ways = waysFrom(scope, tables).filter(({ edges }) => {
    const to = edges.at(-1)?.to;
    if (to === undefined || !columnNamed(to, column.name)) return false;
    return target === undefined ? isAlias(qualifier, to) : to === target;
  });
  const [way] = ways;
  if (way === undefined) return [];
  const isTable = way.edges.at(-1)?.to === target;
  return [addition(way, isTable ? undefined : qualifier, scope, tables)];
}

/** The join that reaches a column that no table of the query has. */
export function joinToColumn(
  scope: Scope,
  { name }: ColumnRef,
  tables: KnownTables,
): readonly Correction[] {
  if (GENERIC.test(name)) return [];
  const ways = waysFrom(scope, tables).filter(({ edges }) => {
    const to = edges.at(-1)?.to;
    return to !== undefined && columnNamed(to, name) !== undefined;
  });
  const [way] = ways;
  return way === undefined ? [] : [addition(way, undefined, scope, tables)];
}

/**
 * The join to the only table near a source that has a column which the statement takes for one of the source's own, and
 * the column with its table in front.
 */
export function joinToOwner(
  scope: Scope,
  column: ColumnRef,
  from: KnownSource,
  tables: KnownTables,
): readonly Correction[] {
  if (GENERIC.test(column.name)) return [];
  const present = new Set(scope.known.map(({ table }) => table));
  const all = waysFrom({ known: [from] }, tables).filter(({ edges }) => {
    const to = edges.at(-1)?.to;
    return (
      to !== undefined &&
      columnNamed(to, column.name) !== undefined &&
      edges.every((edge) => !present.has(edge.to))
    );
  });
  const shortest = Math.min(...all.map(({ edges }) => edges.length));
  const [way, ...others] = all.filter(({ edges }) => edges.length === shortest);
  const to = way?.edges.at(-1)?.to;
  const exact = to && columnNamed(to, column.name)?.name;
  if (way === undefined || to === undefined || exact === undefined || others.length > 0) return [];
  const { sentence, names } = addition(way, undefined, scope, tables);
  const own = useInstead(`${tables.written(to.bareName)}.${tables.written(exact)}`, column.text);
  return [
    { sentence: `${sentence} ${own.sentence}`, names: [...names, { table: to, columns: [exact] }] },
  ];
}

/** Names that many tables have, so that they tell of no table. */
export const GENERIC = /^(?:id|name|title|type|status|code|description)$/;

/** Replaces a join whose condition names a column that is found one table further on. */
function joinBetween(
  scope: Scope,
  column: ColumnRef,
  from: KnownSource,
  tables: KnownTables,
): readonly Correction[] {
  const joined = scope.sources.find(
    ({ join }) => join !== undefined && join.at < column.at && column.end <= join.end,
  );
  const target = scope.known.find(({ source }) => source === joined);
  if (joined?.join === undefined || target === undefined || target === from) return [];
  const way = waysFrom(scope, tables).find(
    ({ start, edges }) => start === from && edges.length === 2 && edges.at(-1)?.to === target.table,
  );
  if (way === undefined) return [];
  const text = joinText(way, target.source.written, tables);
  const written = textOf(scope, joined.join.at, joined.join.end);
  return [useInstead(text, written, namesOf(way))];
}

/** The text of the query between two places. */
function textOf(scope: Scope, at: number, end: number): string {
  const tokens = scope.query.tokens.filter((token) => token.at >= at && token.end <= end);
  return tokens.reduce((text, token, index) => {
    const before = tokens[index - 1];
    return text + (before !== undefined && before.end < token.at ? " " : "") + token.text;
  }, "");
}

function addition(
  way: Way,
  alias: string | undefined,
  scope: Scope,
  tables: KnownTables,
): Correction {
  const reused = withoutKnownStart(way, scope);
  return {
    sentence: `Add \`${joinText(reused, alias, tables)}\` to FROM.`,
    names: namesOf(reused),
  };
}

/** A way that begins at a table which is in FROM already is walked from there. */
function withoutKnownStart({ start, edges }: Way, scope: Scope): Way {
  const [first, ...rest] = edges;
  const there = scope.known.find(({ table }) => table === first?.to);
  return there === undefined || rest.length === 0
    ? { start, edges }
    : { start: there, edges: rest };
}

function joinText({ start, edges }: Way, alias: string | undefined, tables: KnownTables): string {
  let own = start.source.written;
  const joins = edges.map(({ to, pairs }, index) => {
    const isLast = index === edges.length - 1;
    const table = tables.writtenTable(to);
    const other = (isLast ? alias : undefined) ?? tables.written(to.bareName);
    const conditions = pairs.map(
      ([left, right]) => `${other}.${tables.written(right)} = ${own}.${tables.written(left)}`,
    );
    own = other;
    const named = isLast && alias !== undefined ? `${table} ${alias}` : table;
    return `JOIN ${named} ON ${conditions.join(" AND ")}`;
  });
  return joins.join(" ");
}

function namesOf({ edges }: Way): readonly NamedPart[] {
  return edges.flatMap(({ from, to, pairs }) => [
    { table: from, columns: pairs.map(([own]) => own) },
    { table: to, columns: pairs.map(([, other]) => other) },
  ]);
}

/** All short ways from the query's tables to tables that it does not have, the shortest first. */
function waysFrom({ known }: Pick<Scope, "known">, tables: KnownTables): readonly Way[] {
  let level: readonly Way[] = known.map((start) => ({ start, edges: [] }));
  const ways: Way[] = [];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    level = level.flatMap(({ start, edges }) => {
      const at = edges.at(-1)?.to ?? start.table;
      return tables
        .edgesOf(at)
        .filter(({ to }) => to !== start.table && edges.every((edge) => edge.to !== to))
        .map((edge) => ({ start, edges: [...edges, edge] }));
    });
    ways.push(...level);
  }
  return ways;
}

/** Whether agents call a table by this alias: its initials, its beginning, or nearly its name. */
function isAlias(alias: string, { bareName }: Relation): boolean {
  const lower = bareName.toLowerCase();
  const initials = lower
    .split("_")
    .map((word) => word.charAt(0))
    .join("");
  return initials === alias || lower.startsWith(alias) || likeness(alias, bareName) > 0.75;
}
