import { type Correction, type ReadStatement, useInstead } from "../correction.js";
import { holdsKey } from "../schema/known-tables.js";
import { AGGREGATES } from "../statement/keywords.js";
import { type Scope, sourceOf } from "../statement/scope.js";

/** SQLite takes the first row of a query that is compared by `=`, however many rows it has. */
export function oneRowTaken({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap(({ conditions }) =>
    conditions.flatMap(({ left, operator, right, at }) => {
      const [query] = right;
      if (operator !== "=" || left.kind !== "column" || query?.kind !== "query") return [];
      const inner = scopes.find((scope) => scope.query === query.token.query);
      if (inner === undefined || hasOneRow(inner)) return [];
      const { sentence, names } = useInstead(
        `${left.text} IN (`,
        sql.slice(at, query.token.at + 1),
      );
      return [{ sentence: `${sentence} Of several rows only the first one was compared.`, names }];
    }),
  );
}

/** Whether a query has one row at most, as far as that can be told. */
function hasOneRow(scope: Scope): boolean {
  const { clauses, known, sources, conditions } = scope;
  const selected = clauses.get("select") ?? [];
  const isAggregate = selected.some(({ lower }) => AGGREGATES.has(lower)) && !clauses.has("group");
  if (isAggregate || clauses.has("limit")) return true;
  const [only] = known;
  if (only === undefined || sources.length > 1) return true;
  const fixed = conditions.flatMap(({ left, operator }) =>
    operator === "=" && left.kind === "column" && sourceOf(scope, left.column) === only
      ? [left.column.name]
      : [],
  );
  return holdsKey(only.table, fixed);
}
