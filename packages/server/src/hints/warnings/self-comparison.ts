import { type Correction, type ReadStatement, useInstead } from "../correction.js";

/** A column that is compared with itself, because its name stands in double quotes where a text is meant. */
export function selfComparisons({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap(({ conditions }) =>
    conditions.flatMap(({ left, right, at, end, operator }) => {
      const [other] = right;
      if (left.kind !== "column" || other?.kind !== "column" || !other.text.startsWith('"'))
        return [];
      const { name, qualifier } = left.column;
      const isSame = name === other.column.name && other.column.qualifier === undefined;
      if (!isSame) return [];
      const text = `'${other.text.slice(1, -1).replaceAll('""', '"').replaceAll("'", "''")}'`;
      const fragment = `${left.text} ${operator} ${text}`;
      const { sentence, names } = useInstead(fragment, sql.slice(at, end));
      const whole = qualifier === undefined ? name : `${qualifier}.${name}`;
      return [
        {
          sentence: `${sentence} Double quotes make a name: ${whole} is compared with itself.`,
          names,
        },
      ];
    }),
  );
}
