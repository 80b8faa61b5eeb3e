import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import { sourceOf } from "../../statement/scope.js";
import { columnOf, isName } from "../../statement/select.js";
import { clauseOf, writtenFrom } from "./terms.js";

/** A column without a comma after another one, which is read as the name of the first. */
export function swallowedColumns({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) => {
    const tokens = clauseOf(scope, "select");
    return tokens.flatMap((token, index) => {
      const alias = tokens[index + 1];
      const behind = tokens[index + 2];
      if (!isName(token) || alias === undefined || !isName(alias) || token.depth > 0) return [];
      if (behind !== undefined && behind.text !== ",") return [];
      let from = index;
      while (tokens[from - 1]?.text === "." && from >= 2) from -= 2;
      const before = tokens[from - 1];
      if (before !== undefined && before.text !== "," && before.lower !== "distinct") return [];
      const owner = sourceOf(scope, columnOf(tokens, from, index + 1));
      if (owner === undefined || columnNamed(owner.table, alias.lower) === undefined) return [];
      const written = writtenFrom(sql, tokens[from], alias);
      const fragment = `${writtenFrom(sql, tokens[from], token)}, ${alias.text}`;
      const { sentence, names } = useInstead(fragment, written);
      return [
        {
          sentence: `${sentence} Without the comma, ${alias.text} is only a name for ${token.text}.`,
          names,
        },
      ];
    });
  });
}
