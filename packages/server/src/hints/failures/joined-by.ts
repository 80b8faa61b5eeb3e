import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";

/** USING a column that one of the two tables does not have: the columns of the foreign key. */
export const joinedBy: FailureRule = ({ message, scopes, sql, tables }) => {
  const sqlite = /^cannot join using column (.+?) - column not present/.exec(message);
  const postgres = /^column "(.+)" specified in USING clause does not exist/.exec(message);
  const name = (sqlite?.[1] ?? postgres?.[1])?.toLowerCase();
  if (name === undefined) return [];
  for (const scope of scopes) {
    for (const [index, { source, table }] of scope.known.entries()) {
      if (!source.using.includes(name) || source.usingAt === undefined) continue;
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
