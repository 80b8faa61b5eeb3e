import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import { sourceOf } from "../../statement/scope.js";
import { closeOf, columnsIn } from "../../statement/select.js";
import { clauseOf, kindOfType, valueClauses, writtenFrom } from "./terms.js";

/** A whole number given to a function of times: SQLite takes it for a Julian day, not for seconds. */
export function secondsAsDays({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) =>
    [...valueClauses(scope), clauseOf(scope, "group")].flatMap((tokens) =>
      tokens.flatMap((token, index) => {
        const isOfTimes = /^(?:strftime|date|datetime|time|julianday)$/.test(token.lower);
        if (!isOfTimes || tokens[index + 1]?.text !== "(") return [];
        const close = closeOf(tokens, index + 1);
        const inner = tokens.slice(index + 2, close);
        const [column, ...others] = columnsIn(inner);
        if (column === undefined || others.length > 0 || inner.at(-1)?.end !== column.end)
          return [];
        const owner = sourceOf(scope, column);
        const type = owner && columnNamed(owner.table, column.name)?.type;
        if (type === undefined || kindOfType(type, "sqlite") !== "integer") return [];
        const written = writtenFrom(sql, token, tokens[close]);
        const { sentence, names } = useInstead(`${written.slice(0, -1)}, 'unixepoch')`, written);
        return [
          {
            sentence: `${sentence} ${column.text} is a whole number, which is read as a Julian day otherwise.`,
            names,
          },
        ];
      }),
    ),
  );
}

/** A truth value of JSON compared with a text: SQLite's json_extract gives 1 or 0. */
export function jsonTruthAsText({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) =>
    (["where", "having", "from", "select"] as const).flatMap((clause) => {
      const tokens = clauseOf(scope, clause);
      return tokens.flatMap((token, index) => {
        if (token.lower !== "json_extract" || tokens[index + 1]?.text !== "(") return [];
        const close = closeOf(tokens, index + 1);
        const [operator, value] = [tokens[close + 1], tokens[close + 2]];
        if (
          !/^(?:=|==|<>|!=)$/.test(operator?.text ?? "") ||
          !/^'(?:true|false)'$/.test(value?.text ?? "")
        )
          return [];
        const written = writtenFrom(sql, token, value);
        const call = writtenFrom(sql, token, tokens[close]);
        const { sentence, names } = useInstead(
          `${call} ${operator?.text ?? "="} ${value?.text === "'true'" ? "1" : "0"}`,
          written,
        );
        return [{ sentence: `${sentence} A JSON truth value is 1 or 0 here.`, names }];
      });
    }),
  );
}
