import type { Relation } from "@steward/schema";
import { type Correction, type ReadStatement, useInstead } from "../correction.js";
import { holdsKey, type KeyEdge, type KnownTables } from "../schema/known-tables.js";
import { type KnownSource, type Scope, sourceOf } from "../statement/scope.js";

/** An equation of columns of two sources. */
interface Equation {
  readonly own: KnownSource;
  readonly other: KnownSource;
  readonly columns: readonly [own: string, other: string];
  readonly at: number;
  readonly end: number;
}

/**
 * A join of two tables that have a foreign key, along other columns: it pairs rows that do not
 * belong together.
 */
export function joinsOffKey({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) => {
    const equations = equationsOf(scope);
    return equations.flatMap((equation) => correctionOf(equation, equations, { sql, tables }));
  });
}

function equationsOf(scope: Scope): readonly Equation[] {
  return scope.conditions.flatMap(({ left, operator, right, at, end }) => {
    const [side] = right;
    if (operator !== "=" || left.kind !== "column" || side?.kind !== "column") return [];
    const own = sourceOf(scope, left.column);
    const other = sourceOf(scope, side.column);
    if (own === undefined || other === undefined || own.source === other.source) return [];
    return [{ own, other, columns: [left.column.name, side.column.name] as const, at, end }];
  });
}

function correctionOf(
  equation: Equation,
  equations: readonly Equation[],
  { sql, tables }: { readonly sql: string; readonly tables: KnownTables },
): readonly Correction[] {
  const { own, other, columns, at, end } = equation;
  const beside = equations.filter(
    (each) =>
      (each.own === own && each.other === other) || (each.own === other && each.other === own),
  );
  // Several equations of two tables are deliberate.
  if (own.table === other.table || beside.length > 1) return [];
  const edges = tables.edgesBetween(own.table, other.table);
  const [edge] = edges;
  if (edge === undefined || edges.some((each) => isAlong(each, columns))) return [];
  const isFanOut = !holdsKey(own.table, [columns[0]]) && !holdsKey(other.table, [columns[1]]);
  const things = [thingOf(own.table, columns[0], tables), thingOf(other.table, columns[1], tables)];
  if (!isFanOut && things[0] === things[1]) return [];
  const [pair] = edge.pairs;
  if (pair === undefined || edge.pairs.length > 1) return [];
  const fragment = `${own.source.written}.${tables.written(pair[0])} = ${other.source.written}.${tables.written(pair[1])}`;
  const { sentence, names } = useInstead(fragment, sql.slice(at, end), [
    { table: own.table, columns: [pair[0]] },
    { table: other.table, columns: [pair[1]] },
  ]);
  const reason = isFanOut
    ? "several rows of each table have the same value there"
    : "those columns do not identify the same thing";
  return [{ sentence: `${sentence} The join is not along the foreign key: ${reason}.`, names }];
}

function isAlong({ pairs }: KeyEdge, [own, other]: Equation["columns"]): boolean {
  return pairs.some(([left, right]) => left.toLowerCase() === own && right.toLowerCase() === other);
}

/** The table whose rows a column identifies: the referenced table of a foreign key, or its own table. */
function thingOf(table: Relation, column: string, tables: KnownTables): string {
  const key = table.foreignKeys.find(
    ({ columns }) => columns.length === 1 && columns[0]?.toLowerCase() === column,
  );
  if (key !== undefined) return tables.find(key.target)?.name ?? key.target;
  return holdsKey(table, [column]) ? table.name : `${table.name}.${column}`;
}
