import { type Correction, type ReadStatement, useInstead } from "../../correction.js";
import { isName } from "../../statement/select.js";
import { termAt, valueClauses, writtenFrom } from "./terms.js";

/** Texts joined by `+`, which SQLite reads as numbers. */
export function addedTexts({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) =>
    valueClauses(scope).flatMap((tokens) => {
      if (!tokens.some(({ text }) => text === "+")) return [];
      for (const [index, token] of tokens.entries()) {
        const first = termAt(tokens, index, scope, tables.dialect);
        const isBegin = index === 0 || !/^[-+*/.(]$/.test(tokens[index - 1]?.text ?? "");
        if (first === undefined || !isBegin || tokens[first.to + 1]?.text !== "+") continue;
        const terms = [first];
        let last = first;
        while (tokens[last.to + 1]?.text === "+") {
          const next = termAt(tokens, last.to + 2, scope, tables.dialect);
          if (next === undefined) break;
          terms.push(next);
          last = next;
        }
        const isText = terms.some(
          ({ kind, literal }) => kind === "text" && (literal === undefined || !/\d/.test(literal)),
        );
        const isJoined = terms.some(({ literal }) => literal?.startsWith("'") === true);
        if (!isText || (!isJoined && !terms.every(({ kind }) => kind === "text"))) continue;
        const written = writtenFrom(sql, token, tokens[last.to]);
        const fragment = terms
          .map(({ from, to }) => writtenFrom(sql, tokens[from], tokens[to]))
          .join(" || ");
        const { sentence, names } = useInstead(fragment, written);
        return [{ sentence: `${sentence} + adds numbers, and a text counts as 0.`, names }];
      }
      return [];
    }),
  );
}

/** A text taken from another one, as dates are: SQLite takes the number at the beginning of each, the year. */
export function subtractedTexts({ scopes, sql, tables }: ReadStatement): readonly Correction[] {
  if (tables.dialect !== "sqlite") return [];
  return scopes.flatMap((scope) =>
    valueClauses(scope).flatMap((tokens) =>
      tokens.flatMap((token, index) => {
        // Only a path can be a column of texts.
        if (!isName(token)) return [];
        const left = termAt(tokens, index, scope, tables.dialect);
        if (
          left === undefined ||
          tokens[left.to + 1]?.text !== "-" ||
          tokens[index - 1]?.text === "."
        )
          return [];
        const right = termAt(tokens, left.to + 2, scope, tables.dialect);
        const isText = (term: typeof left): boolean => term.kind === "text" && term.isColumn;
        if (right === undefined || !isText(left) || !isText(right)) return [];
        const [own, other] = [left, right].map(({ from, to }) =>
          writtenFrom(sql, tokens[from], tokens[to]),
        );
        const written = writtenFrom(sql, token, tokens[right.to]);
        const { sentence, names } = useInstead(
          `julianday(${own ?? ""}) - julianday(${other ?? ""})`,
          written,
        );
        return [
          {
            sentence: `${sentence} Both are texts, of which - takes the number at the beginning, of a date its year.`,
            names,
          },
        ];
      }),
    ),
  );
}
