import type { Correction, ReadStatement } from "../correction.js";
import type { KnownTables } from "../schema/known-tables.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";
import { type Scope, sourceOf } from "../statement/scope.js";
import { type ColumnRef, columnsIn } from "../statement/select.js";

/**
 * SQLite takes a column beside an aggregate that no GROUP BY names from any row. Beside a single
 * min or max it takes the row that has it, which is meant.
 */
export function bareColumns({ scopes, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) => bareIn(scope, tables));
}

function bareIn(scope: Scope, tables: KnownTables): readonly Correction[] {
  const selected = scope.clauses.get("select") ?? [];
  const { outside, aggregates } = withoutAggregates(selected);
  const [only] = aggregates;
  if (only === undefined) return [];
  if (aggregates.length === 1 && (only === "min" || only === "max")) return [];
  const group = scope.clauses.get("group") ?? [];
  const bare = columnsIn(outside).filter(
    (column) => !isGrouped(column, { scope, selected, group, tables }),
  );
  return [...new Map(bare.map((column) => [column.text, column])).values()].map(({ text }) => ({
    sentence: `Add \`${text}\` to GROUP BY: beside ${only}() its value comes from any row.`,
    names: [],
  }));
}

/** The tokens outside of aggregates, and the aggregates' names. */
function withoutAggregates(tokens: readonly CodeToken[]) {
  const outside: CodeToken[] = [];
  const aggregates: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const open = tokens[index + 1];
    if (!AGGREGATES.has(token.lower) || open?.text !== "(") {
      outside.push(token);
      continue;
    }
    const close = tokens.findIndex(
      ({ text, depth }, at) => at > index + 1 && text === ")" && depth === open.depth,
    );
    if (close === -1) break;
    // A window function makes no groups.
    const isWindow = tokens.slice(close + 1).some(({ lower }) => lower === "over");
    if (!isWindow) aggregates.push(token.lower);
    index = close;
    outside.push({ ...token, kind: "number", text: "0", lower: "0" });
  }
  return { outside, aggregates };
}

interface Grouped {
  readonly scope: Scope;
  readonly selected: readonly CodeToken[];
  readonly group: readonly CodeToken[];
  readonly tables: KnownTables;
}

function isGrouped(column: ColumnRef, { scope, selected, group, tables }: Grouped): boolean {
  // Numbers and aliases refer to expressions of the select list.
  if (group.some(({ kind, depth }) => kind === "number" && depth === 0)) return true;
  const grouped = columnsIn(group);
  if (grouped.some(({ name }) => name === column.name)) return true;
  const aliases = new Set(
    selected.flatMap((token, index) => (selected[index - 1]?.lower === "as" ? [token.lower] : [])),
  );
  if (grouped.some(({ qualifier, name }) => qualifier === undefined && aliases.has(name)))
    return true;
  return isOfGroupedRow(column, grouped, { scope, tables });
}

/** Whether the groups have one row of the column's table each: its key is grouped by, or equal to one. */
function isOfGroupedRow(
  column: ColumnRef,
  grouped: readonly ColumnRef[],
  { scope }: Pick<Grouped, "scope" | "tables">,
): boolean {
  const owner = sourceOf(scope, column);
  if (owner === undefined) return true;
  const equal = scope.conditions.flatMap(({ left, operator, right }) => {
    const [other] = right;
    return operator === "=" && left.kind === "column" && other?.kind === "column"
      ? [[left.column, other.column] as const]
      : [];
  });
  const fixed = [...grouped];
  for (const [left, right] of equal) {
    if (fixed.some(({ name }) => name === left.name)) fixed.push(right);
    else if (fixed.some(({ name }) => name === right.name)) fixed.push(left);
  }
  const key = owner.table.primaryKey;
  return (
    key.length > 0 &&
    key.every((name) =>
      fixed.some(
        (each) =>
          each.name === name.toLowerCase() && sourceOf(scope, each)?.source === owner.source,
      ),
    )
  );
}
