import type { Correction, ReadStatement } from "../../correction.js";
import { type Scope, sourceOf } from "../../statement/scope.js";

/**
 * A LEFT JOIN whose table has a comparison in WHERE: the rows without a partner are dropped, as by an
 * inner join.
 */
export function lostOuterRows({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) => {
    const where = scope.clauses.get("where") ?? [];
    const [first] = where;
    // Within OR or NOT, a row without a partner may stay.
    if (
      first === undefined ||
      where.some(({ lower }) => lower === "or" || lower === "not" || lower === "case")
    )
      return [];
    const outer = scope.known.filter(({ source }) => isLeft(scope, source.join?.at));
    for (const { left, right, operator, at, end } of scope.conditions) {
      if (at < first.at || left.kind !== "column" || right.some(({ kind }) => kind === "column"))
        continue;
      const owner = sourceOf(scope, left.column);
      if (owner === undefined || !outer.includes(owner) || operator.startsWith("not")) continue;
      const condition = sql.slice(at, end);
      const name = owner.source.written;
      return [
        {
          sentence: `\`${condition}\` in WHERE drops the rows that have no ${name}, so that LEFT JOIN is JOIN: write it in the ON of ${name} to keep them.`,
          names: [],
        },
      ];
    }
    return [];
  });
}

function isLeft({ clauses }: Scope, at: number | undefined): boolean {
  const from = clauses.get("from") ?? [];
  return at !== undefined && from.some((token) => token.at === at && token.lower === "left");
}
