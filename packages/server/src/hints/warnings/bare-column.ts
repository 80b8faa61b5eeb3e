import type { Correction, ReadStatement } from "../correction.js";
import type { CodeToken } from "../statement/code.js";
import { AGGREGATES } from "../statement/keywords.js";
import { type Scope, sourceOf } from "../statement/scope.js";
import { closeOf, type ColumnRef, columnsIn } from "../statement/select.js";

/**
 * SQLite takes a column beside an aggregate that no GROUP BY names from any row. Beside a single
 * min or max it takes the row that has it, which is meant.
 */
export function bareColumns({ scopes, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap(bareIn);
}

function bareIn(scope: Scope): readonly Correction[] {
  const selected = scope.clauses.get("select") ?? [];
  const { outside, aggregates } = withoutAggregates(selected);
  const [only] = aggregates;
  if (only === undefined) return [];
  if (aggregates.length === 1 && (only === "min" || only === "max")) return [];
  const group = scope.clauses.get("group") ?? [];
  // Numbers refer to expressions of the select list.
  if (group.some(({ kind, depth }) => kind === "number" && depth === 0)) return [];
  const groups = groupsOf(scope, selected, group);
  const bare = columnsIn(outside).filter((column) => !isGrouped(column, groups));
  return [...new Map(bare.map((column) => [column.text, column])).values()].map(({ text }) => ({
    sentence: `Add \`${text}\` to GROUP BY: beside ${only}() its value comes from any row.`,
    names: [],
  }));
}

/** The tokens outside of aggregates, and the aggregates' names. */
function withoutAggregates(tokens: readonly CodeToken[]) {
  const outside: CodeToken[] = [];
  const aggregates: string[] = [];
  const lastOver = tokens.findLastIndex(({ lower }) => lower === "over");
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const open = tokens[index + 1];
    if (!AGGREGATES.has(token.lower) || open?.text !== "(") {
      outside.push(token);
      continue;
    }
    const close = closeOf(tokens, index + 1);
    if (close === tokens.length) break;
    // A window function makes no groups.
    if (lastOver < close) aggregates.push(token.lower);
    index = close;
    outside.push({ ...token, kind: "number", text: "0", lower: "0" });
  }
  return { outside, aggregates };
}

/** What the groups of a query have in common. */
interface Groups {
  readonly scope: Scope;
  /** The names of the grouped columns. */
  readonly names: ReadonlySet<string>;
  /** Whether an alias of the select list is grouped by. */
  readonly hasAlias: boolean;
  /** The columns that have one value in each group: grouped by, or equal to such a column. */
  readonly fixed: readonly ColumnRef[];
}

function groupsOf(
  scope: Scope,
  selected: readonly CodeToken[],
  group: readonly CodeToken[],
): Groups {
  const grouped = columnsIn(group);
  const names = new Set(grouped.map(({ name }) => name));
  const aliases = new Set(
    selected.flatMap((token, index) => (selected[index - 1]?.lower === "as" ? [token.lower] : [])),
  );
  const hasAlias = grouped.some(
    ({ qualifier, name }) => qualifier === undefined && aliases.has(name),
  );
  const fixed = [...grouped];
  const fixedNames = new Set(names);
  const fix = (column: ColumnRef): void => {
    fixed.push(column);
    fixedNames.add(column.name);
  };
  for (const { left, operator, right } of scope.conditions) {
    const [other] = right;
    if (operator !== "=" || left.kind !== "column" || other?.kind !== "column") continue;
    if (fixedNames.has(left.column.name)) fix(other.column);
    else if (fixedNames.has(other.column.name)) fix(left.column);
  }
  return { scope, names, hasAlias, fixed };
}

function isGrouped(column: ColumnRef, groups: Groups): boolean {
  return groups.hasAlias || groups.names.has(column.name) || isOfGroupedRow(column, groups);
}

/** Whether the groups have one row of the column's table each: its key is grouped by, or equal to one. */
function isOfGroupedRow(column: ColumnRef, { scope, fixed }: Groups): boolean {
  const owner = sourceOf(scope, column);
  if (owner === undefined) return true;
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
