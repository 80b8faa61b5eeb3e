import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import { sourceOf } from "../../statement/scope.js";

/**
 * NOT IN a query of a column that may be NULL: one NULL among its values makes the condition true for
 * no row. Only told where nothing was found.
 */
export function notInNulls({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) =>
    scope.conditions.flatMap(({ operator, right }) => {
      const [query] = right;
      if (operator !== "not in" || query?.kind !== "query") return [];
      const inner = scopes.find((each) => each.query === query.token.query);
      const [column, ...others] =
        inner?.columns.filter(({ at }) => isSelected(inner.clauses.get("select") ?? [], at)) ?? [];
      if (inner === undefined || column === undefined || others.length > 0) return [];
      const owner = sourceOf(inner, column);
      const known = owner && columnNamed(owner.table, column.name);
      if (
        owner === undefined ||
        known === undefined ||
        known.isNotNull ||
        owner.table.primaryKey.includes(known.name)
      )
        return [];
      const where = inner.clauses.get("where") ?? [];
      if (where.some(({ lower }, index) => lower === "is" && where[index + 1]?.lower === "not"))
        return [];
      if (inner.clauses.has("group") || inner.clauses.has("limit") || inner.clauses.has("order"))
        return [];
      const written = sql.slice(query.token.at, query.token.end);
      const condition = `${column.text} IS NOT NULL`;
      const fragment = `${written.slice(0, -1)} ${where.length > 0 ? "AND" : "WHERE"} ${condition})`;
      const { sentence } = useInstead(fragment, written);
      return [
        {
          sentence: `${sentence} With a NULL among its values, NOT IN is true for no row.`,
          names: [{ table: owner.table, columns: [known.name] }],
        },
      ];
    }),
  );
}

function isSelected(select: readonly { readonly at: number }[], at: number): boolean {
  return select.some((token) => token.at === at);
}
