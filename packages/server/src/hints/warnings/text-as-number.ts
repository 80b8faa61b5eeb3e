import { type Correction, type ReadStatement, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";
import { sourceOf } from "../statement/scope.js";

/** A column of texts that is ordered against a number. SQLite then compares letter by letter. */
export function textsAsNumbers({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) =>
    scope.conditions.flatMap(({ left, operator, right, at, end }) => {
      const [other] = right;
      if (!/^[<>]=?$/.test(operator) || left.kind !== "column" || other?.kind !== "number")
        return [];
      const owner = sourceOf(scope, left.column);
      const type = owner && columnNamed(owner.table, left.column.name)?.type;
      if (type === undefined || !/CHAR|CLOB|TEXT/i.test(type)) return [];
      const fragment = `CAST(${left.text} AS NUMERIC) ${operator} ${other.text}`;
      const { sentence, names } = useInstead(fragment, sql.slice(at, end));
      return [
        {
          sentence: `${sentence} ${left.text} is a text, and texts are compared letter by letter.`,
          names,
        },
      ];
    }),
  );
}
