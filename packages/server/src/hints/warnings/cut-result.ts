import type { Correction, ReadStatement } from "../correction.js";

/** Rows of a page that a hint advises. */
const PAGE_ROWS = 1000;

/** A result that was cut: the order and limit of a first page. */
export function pageOf({ scopes, tables }: ReadStatement): readonly Correction[] {
  const [scope] = scopes;
  const [only] = scope?.known ?? [];
  if (scope === undefined || only === undefined || scope.query.outer !== undefined) return [];
  if (scope.clauses.has("limit") || scopes.some((each) => each !== scope && !each.query.outer))
    return [];
  const { primaryKey } = only.table;
  if (scope.clauses.has("group") || primaryKey.length === 0) return [];
  const key = primaryKey.map((name) =>
    scope.sources.length > 1
      ? `${only.source.written}.${tables.written(name)}`
      : tables.written(name),
  );
  const order = scope.clauses.has("order") ? "" : `ORDER BY ${key.join(", ")} `;
  return [
    {
      sentence: `Add \`${order}LIMIT ${String(PAGE_ROWS)}\` at the end to read the first page, and OFFSET for the next ones; or select an aggregate.`,
      names: order === "" ? [] : [{ table: only.table, columns: primaryKey }],
    },
  ];
}
