import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";
import type { Scope } from "../statement/scope.js";

/** USING a column that one of the two tables does not have: the columns of the foreign key. */
export const joinedBy: FailureRule = ({ fault, scopes, sql, tables }) => {
  if (fault?.kind !== "unknown join column") return [];
  for (const scope of scopes) {
    for (const [index, { source, table }] of scope.known.entries()) {
      if (source.usingAt === undefined || isJoinable(scope, source.using, index)) continue;
      for (const before of scope.known.slice(0, index)) {
        const [edge] = tables.edgesBetween(before.table, table);
        if (edge === undefined) continue;
        const written = sql.slice(source.usingAt.at, source.usingAt.end);
        const names = [
          { table: before.table, columns: edge.pairs.map(([own]) => own) },
          { table, columns: edge.pairs.map(([, other]) => other) },
        ];
        const isSame = edge.pairs.every(([own, other]) => own === other && columnNamed(table, own));
        const fragment = isSame
          ? `USING (${edge.pairs.map(([own]) => tables.written(own)).join(", ")})`
          : `ON ${edge.pairs.map(([own, other]) => `${before.source.written}.${tables.written(own)} = ${source.written}.${tables.written(other)}`).join(" AND ")}`;
        return [useInstead(fragment, written, names)];
      }
    }
  }
  return [];
};

/** Whether a table has the columns of USING, and one before it each of them. */
function isJoinable({ known }: Scope, using: readonly string[], index: number): boolean {
  const before = known.slice(0, index);
  return using.every(
    (name) =>
      [known[index]].some((own) => own && columnNamed(own.table, name)) &&
      before.some(({ table }) => columnNamed(table, name)),
  );
}
