import { type FailureRule, useInstead } from "../correction.js";

/** A query that is compared as if it had one row, and has several. */
export const severalRows: FailureRule = ({ fault, scopes, sql }) => {
  if (fault?.kind !== "several rows") return [];
  return scopes.flatMap(({ conditions }) =>
    conditions.flatMap(({ operator, left, right, at }) => {
      const [query] = right;
      if (operator !== "=" || query?.kind !== "query" || left.kind !== "column") return [];
      const written = sql.slice(at, query.token.at + 1);
      return [useInstead(`${left.text} IN (`, written)];
    }),
  );
};
