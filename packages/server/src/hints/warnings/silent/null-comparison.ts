import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { clauseOf, termAt, writtenFrom } from "./terms.js";

/** A comparison with NULL, which is never true. */
export function nullComparisons({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) =>
    (["where", "having", "from"] as const).flatMap((clause) => {
      const tokens = clauseOf(scope, clause);
      return tokens.flatMap((token, index) => {
        const isEqual = token.text === "=" || token.text === "==";
        const isOther = token.text === "<>" || token.text === "!=";
        const value = tokens[index + 1];
        if ((!isEqual && !isOther) || value?.lower !== "null" || value.kind !== "word") return [];
        // The term before it: the nearest place from which a term ends here.
        let from = index - 1;
        while (from >= 0 && termAt(tokens, from, scope, tables.dialect)?.to !== index - 1)
          from -= 1;
        while (tokens[from - 1]?.text === "." && from >= 2) from -= 2;
        if (from < 0) return [];
        const written = writtenFrom(sql, tokens[from], value);
        const term = writtenFrom(sql, tokens[from], tokens[index - 1]);
        const { sentence, names } = useInstead(`${term} IS ${isOther ? "NOT " : ""}NULL`, written);
        return [{ sentence: `${sentence} A comparison with NULL is never true.`, names }];
      });
    }),
  );
}
