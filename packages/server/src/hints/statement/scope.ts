import type { Relation } from "@steward/schema";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import { type CodeToken, queriesOf, type Query } from "./code.js";
import { type Comparison, comparisonsIn } from "./comparisons.js";
import { DerivedTables } from "./derived.js";
import { type ColumnRef, columnsIn, isName, type Select, selectOf, type Source } from "./select.js";

/** A source whose table is known. */
export interface KnownSource {
  readonly source: Source;
  readonly table: Relation;
}

/** A query of a statement, with the tables that it names. */
export interface Scope extends Select {
  /** Sources that are tables of the database. */
  readonly known: readonly KnownSource[];
  /** All sources whose columns are known: also common table expressions and queries in FROM. */
  readonly readable: readonly KnownSource[];
  /** The same of the queries around this one, whose columns a query in WHERE can name; the nearest first. */
  readonly outer: readonly KnownSource[];
  /** The common table expressions that it defines. */
  readonly expressions: readonly Relation[];
  /** The comparisons of all joins, and of WHERE. */
  readonly conditions: readonly Comparison[];
  readonly columns: readonly ColumnRef[];
}

/** The queries of a statement, the outer ones first. */
export function scopesOf(sql: string, tables: KnownTables): readonly Scope[] {
  const queries = queriesOf(sql, tables.dialect);
  const named = new Set(queries.flatMap(({ tokens }) => expressionNames(tokens)));
  const reading = { tables, named, derived: new DerivedTables(tables) };
  const scopes = new Map<Query, Scope>();
  // The outer queries come first.
  const outside = new Map<Scope, readonly KnownSource[]>();
  for (const query of queries) {
    const around = query.outer === undefined ? undefined : scopes.get(query.outer);
    let outer = around && outside.get(around);
    if (around !== undefined && outer === undefined) {
      // All queries inside one query share the list.
      outer = [...around.readable, ...around.outer];
      outside.set(around, outer);
    }
    scopes.set(query, scopeOf(query, reading, outer ?? []));
  }
  return [...scopes.values()];
}

/** Parts that all queries of a statement share. */
interface Reading {
  readonly tables: KnownTables;
  /** The names of all common table expressions. */
  readonly named: ReadonlySet<string>;
  readonly derived: DerivedTables;
}

function scopeOf(
  query: Query,
  { tables, named, derived }: Reading,
  outer: readonly KnownSource[],
): Scope {
  const select = selectOf(query);
  // First, because each expression may name the ones before it.
  const expressions = derived.definedIn(query);
  const known = select.sources.flatMap((source) => {
    if (source.table === undefined || named.has(source.table.toLowerCase())) return [];
    const table = tables.find(source.table);
    return table === undefined ? [] : [{ source, table }];
  });
  const readable = select.sources.flatMap((source) => {
    const table = derived.of(source, query);
    const own = known.find((each) => each.source === source);
    return table === undefined ? (own ?? []) : [{ source, table }];
  });
  const { clauses } = select;
  const from = clauses.get("from") ?? [];
  const where = clauses.get("where") ?? [];
  const used = (["select", "where", "group", "having", "order", "set"] as const).flatMap((clause) =>
    columnsIn(clauses.get(clause) ?? []),
  );
  return {
    ...select,
    known,
    readable,
    outer,
    expressions,
    conditions: [...comparisonsIn(from), ...comparisonsIn(where)],
    columns: [...used, ...joinedColumns(from)],
  };
}

/** The columns in the conditions of joins. */
function joinedColumns(from: readonly CodeToken[]): readonly ColumnRef[] {
  const all = columnsIn(from);
  const firstOn = from.find(({ lower, kind }) => lower === "on" && kind === "word")?.at ?? Infinity;
  return all.filter(({ at, qualifier }) => qualifier !== undefined && firstOn < at);
}

/** The names of common table expressions: `name (columns) AS (query`. */
function expressionNames(tokens: readonly CodeToken[]): readonly string[] {
  if (!tokens.some(({ lower, kind }) => lower === "with" && kind === "word")) return [];
  return tokens.flatMap((token, index) => {
    if (token.kind !== "query" && token.text !== "(") return [];
    let before = index - 1;
    while (/^(?:as|not|materialized)$/.test(tokens[before]?.lower ?? "")) before -= 1;
    if (before === index - 1) return [];
    if (tokens[before]?.text === ")") {
      while (before > 0 && tokens[before]?.text !== "(") before -= 1;
      before -= 1;
    }
    const name = tokens[before];
    return isName(name) ? [name.lower] : [];
  });
}

/** The known source that a column belongs to; undefined when that is not certain. */
export function sourceOf(scope: Scope, column: ColumnRef): KnownSource | undefined {
  const { qualifier, name } = column;
  const owners = scope.known.filter(
    ({ source, table }) =>
      (qualifier === undefined || source.alias === qualifier) && columnNamed(table, name),
  );
  const isCertain = qualifier !== undefined || scope.known.length === scope.sources.length;
  return owners.length === 1 && isCertain ? owners[0] : undefined;
}

/** A column as the query writes it: with its source's alias when the query has several sources. */
export function writtenColumn(
  scope: Pick<Scope, "sources">,
  source: Source,
  name: string,
  tables: KnownTables,
): string {
  const column = tables.written(name);
  return scope.sources.length > 1 ? `${source.written}.${column}` : column;
}
