import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";
import { closeOf, isName } from "../statement/select.js";

/** ON CONFLICT of columns that are no key: the only key that the table has, or that contains them. */
export const conflictTarget: FailureRule = ({ fault, scopes, sql, tables }) => {
  if (fault?.kind !== "conflict target") return [];
  for (const { query, known } of scopes) {
    const { tokens } = query;
    const conflict = tokens.findIndex(
      ({ lower }, at) => lower === "conflict" && tokens[at + 1]?.text === "(",
    );
    const [changed] = known;
    if (conflict === -1 || changed === undefined) continue;
    const { table } = changed;
    const close = closeOf(tokens, conflict + 1);
    const named = tokens
      .slice(conflict + 2, close)
      .filter(isName)
      .map(({ lower }) => lower);
    if (!named.every((name) => columnNamed(table, name))) return [];
    const keys = [table.primaryKey, ...table.uniqueKeys].filter((key) => key.length > 0);
    const holding = keys.filter((key) =>
      named.every((name) => key.some((own) => own.toLowerCase() === name)),
    );
    const [key, ...others] = holding.length > 0 ? holding : keys;
    if (key === undefined || others.length > 0) return [];
    const written = sql.slice(tokens[conflict]?.at, tokens[close]?.end);
    const fragment = `${tokens[conflict]?.text ?? ""} (${key.map((name) => tables.written(name)).join(", ")})`;
    return [useInstead(fragment, written, [{ table, columns: key }])];
  }
  return [];
};
