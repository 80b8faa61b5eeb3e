import { type Correction, type FailedStatement, useInstead } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import { sourceOf } from "../../statement/scope.js";

/** A value compared with an array that may contain it. */
export function arrayMember({ scopes, sql }: FailedStatement, at: number): readonly Correction[] {
  for (const scope of scopes) {
    for (const { left, operator, right, at: from, end } of scope.conditions) {
      const [value] = right;
      if (left.kind !== "column" || value?.kind !== "text" || at < from || at > end) continue;
      const owner = sourceOf(scope, left.column);
      const type = owner && columnNamed(owner.table, left.column.name)?.type;
      if (type?.endsWith("[]") !== true) continue;
      const written = sql.slice(from, end);
      if (operator === "=") return [useInstead(`${value.text} = ANY(${left.text})`, written)];
      if (operator === "<>" || operator === "!=")
        return [useInstead(`${value.text} <> ALL(${left.text})`, written)];
      const list = right.map(({ text }) => text).join(", ");
      if (operator === "in") return [useInstead(`${left.text} && ARRAY[${list}]`, written)];
    }
  }
  return [];
}
