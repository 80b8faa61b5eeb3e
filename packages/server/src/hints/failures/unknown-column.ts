import type { Relation } from "@steward/schema";
import { type Correction, type FailureRule, useInstead } from "../correction.js";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import { likeness, mostLike } from "../schema/likeness.js";
import type { Operand } from "../statement/comparisons.js";
import { type KnownSource, type Scope, writtenColumn } from "../statement/scope.js";
import { partsOf } from "../statement/derived.js";
import type { ColumnRef } from "../statement/select.js";
import { joinToColumn, joinToTable } from "./missing-join.js";

/** Messages of both engines about an unknown column; the first group is the column as written. */
const MESSAGES: readonly RegExp[] = [
  /^no such column: "?(.+?)"?(?: - should this be .*)?$/,
  /^column "?(.+?)"? does not exist$/,
  /^missing FROM-clause entry for table "(.+)"$/,
  /^invalid reference to FROM-clause entry for table "(.+)"/,
];

/**
 * A column that its table does not have: the column that was meant, the alias of its table, or the
 * join that is missing.
 */
export const unknownColumn: FailureRule = ({ message, scopes, tables }) => {
  const written = MESSAGES.flatMap((pattern) => pattern.exec(message)?.[1] ?? [])[0];
  if (written === undefined) return targetColumn(message, tables);
  const isTable = /FROM-clause entry/.test(message);
  const lower = written.replaceAll('"', "").toLowerCase();
  for (const scope of scopes) {
    const column = scope.columns.find(({ name, qualifier }) =>
      isTable
        ? qualifier === lower
        : (qualifier === undefined ? name : `${qualifier}.${name}`) === lastParts(lower),
    );
    if (column !== undefined && isUnknown(scope, column)) return corrections(scope, column, tables);
  }
  return [];
};

/** A column with its table; an engine may name the schema too. */
function lastParts(path: string): string {
  return path.split(".").slice(-2).join(".");
}

/** A column of an INSERT or UPDATE. */
function targetColumn(message: string, tables: KnownTables): readonly Correction[] {
  const sqlite = /^table (.+) has no column named (.+)$/.exec(message);
  const postgres = /^column "(.+)" of relation "(.+)" does not exist$/.exec(message);
  const table = tables.find(sqlite?.[1] ?? postgres?.[2] ?? "");
  const written = sqlite?.[2] ?? postgres?.[1];
  if (table === undefined || written === undefined) return [];
  return similarColumns(table, written).map((name) =>
    useInstead(tables.written(name), written, [{ table, columns: [name] }]),
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
  // A text in double quotes, which is read as a name.
  if (/^".*\s.*"$/.test(column.text)) return [];
  if (qualifier === undefined) {
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
    ];
  }
  if (scope.sources.some(({ alias }) => alias === qualifier)) return [];
  return [...aliasOf(scope, column, tables), ...joinToTable(scope, column, tables)];
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

/** The column that a condition compares with this one by `=`. */
function otherSideOf(scope: Scope, column: ColumnRef): ColumnRef | undefined {
  const equation = scope.conditions.find(
    ({ left, right, operator }) =>
      operator === "=" && [left, ...right].some((side) => isColumn(side, column)),
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
  const candidates = sources.flatMap((source) =>
    similarColumns(source.table, column.name).map((name) => ({ source, name })),
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

/** The alias by which a table of the query must be called. */
function aliasOf(scope: Scope, column: ColumnRef, tables: KnownTables): readonly Correction[] {
  const { qualifier = "", name } = column;
  const owners = scope.readable.filter(({ table }) => columnNamed(table, name));
  const byTable = owners.filter(({ table }) => table.bareName.toLowerCase() === qualifier);
  const isTable = tables.find(qualifier) !== undefined;
  const byLetters = isTable
    ? undefined
    : mostLike(owners, ({ source, table }) =>
        Math.max(likeness(qualifier, source.alias), likeness(qualifier, table.bareName)),
      );
  const owner = byTable[0] ?? byLetters;
  return owner === undefined
    ? []
    : [useInstead(`${owner.source.written}.${tables.written(name)}`, column.text)];
}
