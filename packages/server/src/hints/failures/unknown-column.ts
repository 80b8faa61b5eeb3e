import type { Relation } from "@steward/schema";
import { type Correction, type FailureRule, useInstead } from "../correction.js";
import type { FaultyName } from "../fault.js";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import { likeness, mostLike } from "../schema/likeness.js";
import type { CodeToken } from "../statement/code.js";
import type { Operand } from "../statement/comparisons.js";
import { type KnownSource, type Scope, writtenColumn } from "../statement/scope.js";
import { partsOf } from "../statement/derived.js";
import type { ColumnRef } from "../statement/select.js";
import { joinToColumn, joinToOwner, joinToTable } from "./missing-join.js";
import { isComparedWithText, isNumeric } from "./shown-type.js";

/**
 * A column that its table does not have: the column that was meant, the alias of its table, or the
 * join that is missing.
 */
export const unknownColumn: FailureRule = ({ fault, scopes, tables, sql }) => {
  if (fault?.kind === "unknown target") return targetColumn(fault.table, fault.name, tables);
  if (fault?.kind !== "unknown column" && fault?.kind !== "unknown table") return [];
  const { name } = fault;
  for (const scope of scopes) {
    const column = scope.columns.find((each) => isMeant(each, name));
    if (column === undefined) continue;
    const [changed] = scope.sources;
    if (isTarget(scope, column, sql)) return targetColumn(changed?.table ?? "", name, tables);
    if (isUnknown(scope, column)) return corrections(scope, column, tables);
  }
  const inserted = scopes.find(({ clauses }) => isInserted(clauses.get("insert") ?? [], name));
  return inserted === undefined ? [] : targetColumn(inserted.sources[0]?.table ?? "", name, tables);
};

/** Whether the engine refuses this column, or the table in front of it. */
function isMeant({ qualifier, name, at }: ColumnRef, refused: FaultyName): boolean {
  if (refused.at !== undefined) return refused.at === at;
  // An engine may name the schema too.
  const path = refused.lower.split(".").slice(-2).join(".");
  return path === (qualifier === undefined ? name : `${qualifier}.${name}`);
}

/** Whether a column is one that UPDATE sets. */
function isTarget({ clauses }: Scope, { at, end }: ColumnRef, sql: string): boolean {
  const set = clauses.get("set") ?? [];
  const index = set.findIndex((token) => token.at === at);
  const before = set[index - 1];
  const isFirst = index === 0 || (before?.text === "," && before.depth === 0);
  return index !== -1 && isFirst && /^\s*=/.test(sql.slice(end));
}

/** Whether a name is in the list of columns of an INSERT. */
function isInserted(insert: readonly CodeToken[], { at }: FaultyName): boolean {
  return insert.some((token) => token.at === at && token.depth > 0);
}

/** A column of an INSERT or UPDATE. */
function targetColumn(
  tableName: string,
  { text }: FaultyName,
  tables: KnownTables,
): readonly Correction[] {
  const table = tables.find(tableName);
  if (table === undefined) return [];
  return similarColumns(table, text).map((name) =>
    useInstead(tables.written(name), text, [{ table, columns: [name] }]),
  );
}

function isUnknown(scope: Scope, { qualifier, name }: ColumnRef): boolean {
  return scope.readable.every(
    ({ source, table }) =>
      (qualifier !== undefined && source.alias !== qualifier) || !columnNamed(table, name),
  );
}

function corrections(scope: Scope, column: ColumnRef, tables: KnownTables): readonly Correction[] {
  const { qualifier } = column;
  if (qualifier === undefined) {
    // A text in double quotes, which is read as a name.
    if (/^".*\s.*"$/.test(column.text)) return [];
    return [
      ...partnersOf(scope, column, tables),
      ...similarIn(scope, scope.readable, column, tables),
      ...joinToColumn(scope, column, tables),
    ];
  }
  const isOwn = ({ source }: KnownSource): boolean => source.alias === qualifier;
  const within = scope.readable.filter(isOwn);
  const own = within.length > 0 ? within : scope.outer.filter(isOwn).slice(0, 1);
  if (own.length > 0) {
    return [
      ...partnersOf(scope, column, tables),
      ...exactElsewhere(scope, column, tables),
      ...similarIn(scope, own, column, tables),
      ...own.slice(0, 1).flatMap((each) => joinToOwner(scope, column, each, tables)),
    ];
  }
  const ofJson = keyOfJson(scope, column, tables);
  if (ofJson.length > 0) return ofJson;
  if (scope.sources.some(({ alias }) => alias === qualifier)) return [];
  return [...aliasOf(scope, column, tables), ...joinToTable(scope, column, tables)];
}

/** A key of a JSON column, written like a column of a table. */
function keyOfJson(scope: Scope, column: ColumnRef, tables: KnownTables): readonly Correction[] {
  const { qualifier = "", text } = column;
  for (const { source, table } of scope.known) {
    const known = columnNamed(table, qualifier);
    if (known === undefined || !/^jsonb?$/i.test(known.type)) continue;
    const key = text.slice(text.lastIndexOf(".") + 1).replaceAll('"', "");
    const path = `${writtenColumn(scope, source, known.name, tables)} ->> '${key.replaceAll("'", "''")}'`;
    return [useInstead(path, text, [{ table, columns: [known.name] }])];
  }
  return [];
}

/** The column that a foreign key pairs with the other side of an equation. */
function partnersOf(scope: Scope, column: ColumnRef, tables: KnownTables): readonly Correction[] {
  const other = otherSideOf(scope, column);
  if (other === undefined) return [];
  const own = scope.known.find(({ source }) => source.alias === column.qualifier);
  const beside = scope.known.find(
    ({ source, table }) => source.alias === other.qualifier && columnNamed(table, other.name),
  );
  if (own === undefined || beside === undefined) return [];
  const edges = tables.edgesBetween(own.table, beside.table);
  for (const { pairs } of edges) {
    const pair = pairs.find(([, name]) => name.toLowerCase() === other.name);
    if (pair !== undefined) return [replacement(scope, own, pair[0], column, tables)];
  }
  return edges.length > 0 ? [] : joinToTable(scope, column, tables, own);
}

/** The column that a condition compares with this one, by `=` where nothing else is said. */
function otherSideOf(
  scope: Scope,
  column: ColumnRef,
  isComparison = (operator: string): boolean => operator === "=",
): ColumnRef | undefined {
  const equation = scope.conditions.find(
    ({ left, right, operator }) =>
      isComparison(operator) && [left, ...right].some((side) => isColumn(side, column)),
  );
  if (equation === undefined) return undefined;
  const other = [equation.left, ...equation.right].find((side) => !isColumn(side, column));
  return other?.kind === "column" ? other.column : undefined;
}

function isColumn(side: Operand, { at }: ColumnRef): boolean {
  return side.kind === "column" && side.column.at === at;
}

/** The same name in another table of the query, unless the own table has nearly the same one. */
function exactElsewhere(
  scope: Scope,
  column: ColumnRef,
  tables: KnownTables,
): readonly Correction[] {
  const owners = scope.readable.filter(({ table }) => columnNamed(table, column.name));
  const own = [...scope.readable, ...scope.outer].find(
    ({ source }) => source.alias === column.qualifier,
  );
  const [owner] = owners;
  if (owner === undefined || own === undefined) return [];
  const other = otherSideOf(scope, column);
  // A column that is compared with itself would make the statement run, and wrong.
  if (other?.name === column.name && other.qualifier === owner.source.alias) return [];
  const hasLike = similarColumns(own.table, column.name).length > 0;
  return hasLike ? [] : [replacement(scope, owner, column.name, column, tables)];
}

/** Columns of these sources that are named alike, the best of each. */
function similarIn(
  scope: Scope,
  sources: readonly KnownSource[],
  column: ColumnRef,
  tables: KnownTables,
): readonly Correction[] {
  const isText = isComparedWithText(scope, column);
  const candidates = sources.flatMap((source) =>
    similarColumns(source.table, column.name)
      .filter((name) => !isText || !isNumeric(columnNamed(source.table, name)?.type ?? ""))
      .map((name) => ({ source, name })),
  );
  const ranked = candidates.sort(
    (a, b) =>
      columnLikeness(b.source.table, column.name, b.name) -
      columnLikeness(a.source.table, column.name, a.name),
  );
  return ranked.map(({ source, name }) => replacement(scope, source, name, column, tables));
}

function replacement(
  scope: Scope,
  { source, table }: KnownSource,
  name: string,
  column: ColumnRef,
  tables: KnownTables,
): Correction {
  const exact = columnNamed(table, name)?.name ?? name;
  const fragment =
    column.qualifier === undefined
      ? isShared(scope, exact)
        ? writtenColumn(scope, source, exact, tables)
        : tables.written(exact)
      : `${source.written}.${tables.written(exact)}`;
  return useInstead(fragment, column.text, partsOf(table, [exact]));
}

function isShared(scope: Scope, name: string): boolean {
  return scope.readable.filter(({ table }) => columnNamed(table, name)).length > 1;
}

/** Candidates that are tried when the caller may not read the best one. */
const CANDIDATES_MAX = 3;

function similarColumns(table: Relation, written: string): readonly string[] {
  const left = table.columns.map(({ name }) => name);
  const found: string[] = [];
  while (found.length < CANDIDATES_MAX) {
    const best = mostLike(
      left.filter((name) => !found.includes(name)),
      (name) => columnLikeness(table, written, name),
    );
    if (best === undefined) break;
    found.push(best);
  }
  return found;
}

/** A column that is named after its table is what other tables call `id` or `name`. */
function columnLikeness(table: Relation, written: string, candidate: string): number {
  const lower = written.toLowerCase();
  const [key] = table.primaryKey;
  const isKey = table.primaryKey.length === 1 && key === candidate;
  if (isKey && /^(?:id|key)$/.test(lower)) return 1;
  const isNamesake = candidate.toLowerCase() === table.bareName.toLowerCase();
  if (isNamesake && /^(?:name|title|label)$/.test(lower)) return 0.95;
  return likeness(written, candidate);
}

/** The alias by which a table of the query, or of one around it, must be called. */
function aliasOf(scope: Scope, column: ColumnRef, tables: KnownTables): readonly Correction[] {
  const { qualifier = "", name } = column;
  const other = otherSideOf(scope, column, () => true);
  // A column that is compared with itself would make the statement run, and wrong.
  const hasColumn = ({ source, table }: KnownSource): boolean =>
    columnNamed(table, name) !== undefined &&
    (other?.name !== name || other.qualifier !== source.alias);
  const inner = scope.readable.filter(hasColumn);
  const outer = outerOf(scope).filter(hasColumn);
  const byTable = [...inner, ...outer].find(
    ({ table }) => table.bareName.toLowerCase() === qualifier,
  );
  const isTable = tables.find(qualifier) !== undefined;
  const byLetters = isTable ? undefined : sourceLike(qualifier, inner, outer);
  const owner = byTable ?? byLetters;
  return owner === undefined ? [] : [replacement(scope, owner, name, column, tables)];
}

/** The likeness of a name that means a table of an outer query: less alike, it may be a table that is missing. */
const OUTER_LIKENESS_MIN = 0.75;

function sourceLike(
  qualifier: string,
  inner: readonly KnownSource[],
  outer: readonly KnownSource[],
): KnownSource | undefined {
  const likenessOf = ({ source, table }: KnownSource): number =>
    Math.max(likeness(qualifier, source.alias), likeness(qualifier, table.bareName));
  const near = outer.filter((each) => likenessOf(each) > OUTER_LIKENESS_MIN);
  return mostLike([...inner, ...near], likenessOf);
}

/** The sources of the queries around this one that its columns can name. */
function outerOf({ query, sources, outer }: Scope): readonly KnownSource[] {
  const around = query.outer?.tokens ?? [];
  const before = around[around.findIndex((token) => token.query === query) - 1];
  // A query in FROM or WITH sees no source beside it.
  if (before?.kind === "word" && /^(?:from|join|as|materialized)$/.test(before.lower)) return [];
  return outer.filter(({ source }) => sources.every(({ alias }) => alias !== source.alias));
}
