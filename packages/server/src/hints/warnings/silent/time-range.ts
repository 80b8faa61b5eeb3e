import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import { sourceOf } from "../../statement/scope.js";
import { columnsIn } from "../../statement/select.js";
import { clauseOf, writtenFrom } from "./terms.js";

/** BETWEEN two dates on a column with times of the day: only the first moment of the last day is in it. */
export function cutLastDays({ scopes, sql }: ReadStatement): readonly Correction[] {
  return scopes.flatMap((scope) =>
    (["where", "having", "from"] as const).flatMap((clause) => {
      const tokens = clauseOf(scope, clause);
      return columnsIn(tokens).flatMap((column) => {
        const between = tokens.findIndex(
          ({ at, lower }) => at >= column.end && lower === "between",
        );
        const [operator, low, and, high] = tokens.slice(between, between + 4);
        if (between === -1 || operator === undefined || tokens[between - 1]?.end !== column.end)
          return [];
        const days = [low, high].map(
          (token) => /^'(\d{4}-\d\d-\d\d)'$/.exec(token?.text ?? "")?.[1],
        );
        const [from, to] = days;
        const owner = sourceOf(scope, column);
        const type = owner && columnNamed(owner.table, column.name)?.type;
        if (from === undefined || to === undefined || and?.lower !== "and" || type === undefined)
          return [];
        // The first of a month is meant as the end of the month before.
        if (!/^(?:timestamp|datetime)/i.test(type) || to.endsWith("-01")) return [];
        const written = writtenFrom(
          sql,
          tokens.find(({ at }) => at === column.at),
          high,
        );
        const fragment = `${column.text} >= '${from}' AND ${column.text} < '${dayAfter(to)}'`;
        const { sentence, names } = useInstead(fragment, written);
        return [
          {
            sentence: `${sentence} ${column.text} has times of the day, and '${to}' is that day's first moment.`,
            names,
          },
        ];
      });
    }),
  );
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
