import { isLiteral, isSign, tokensOf } from "@steward/schema/sql";
import type { Dialect } from "../../../governance/index.js";

/** Stands for a value. No statement contains it, because parsers stop at a NUL. */
const VALUE = "\0";

/**
 * The tokens of a statement with a mark in the place of each value, without comments and white
 * space. All other literals stay, for example the text 'orders' where SQLite takes it as a name.
 * @param values positions of the literals that are values, in UTF-16 units, as the parse tree tells.
 * PostgreSQL's tree has the position of the sign for a negative number.
 */
export function shapeWithout(values: ReadonlySet<number>, sql: string, dialect: Dialect): string {
  return tokensOf(sql, dialect)
    .filter(({ type }) => type !== "comment")
    .map((token, index, tokens) => {
      const before = tokens[index - 1];
      const isValue =
        values.has(token.start) || (isSign(before, "-") && values.has(before?.start ?? -1));
      return isValue && isLiteral(token) ? VALUE : token.text;
    })
    .join(" ");
}
