import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";

/**
 * A column that several tables of the query have: the table whose column the query names elsewhere,
 * or the first one in FROM.
 */
export const ambiguousColumn: FailureRule = ({ fault, scopes, tables }) => {
  if (fault?.kind !== "ambiguous column") return [];
  const name = fault.name.lower;
  for (const scope of scopes) {
    const isWritten = scope.columns.some(
      (column) => column.name === name && column.qualifier === undefined,
    );
    const owners = scope.readable.filter(({ table }) => columnNamed(table, name));
    if (!isWritten || owners.length < 2) continue;
    const grouped = new Set((scope.clauses.get("group") ?? []).map(({ at }) => at));
    const named = scope.columns.find(
      (column) => column.name === name && column.qualifier !== undefined && grouped.has(column.at),
    );
    const owner = owners.find(({ source }) => source.alias === named?.qualifier) ?? owners[0];
    if (owner === undefined) continue;
    const exact = columnNamed(owner.table, name)?.name ?? name;
    const fragment = `${owner.source.written}.${tables.written(exact)}`;
    const others = owners
      .filter((each) => each !== owner)
      .map(({ source }) => `\`${source.written}.${tables.written(name)}\``);
    const sentence = `Use \`${fragment}\` instead of \`${tables.written(exact)}\`, unless ${others.join(" or ")} is meant.`;
    return [{ ...useInstead(fragment, name), sentence }];
  }
  return [];
};
