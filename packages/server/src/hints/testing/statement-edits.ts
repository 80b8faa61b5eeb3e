import type { Dialect } from "../../governance/index.js";
import { tokenize } from "../../plans/index.js";

/** A token of code with its place; blanks and comments are left out. */
interface Code {
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** Number of parentheses around it. */
  readonly depth: number;
}

/** Edits of a statement's text that need no knowledge of any schema. */
export class StatementEdits {
  readonly #sql: string;
  readonly #dialect: Dialect;
  readonly #code: readonly Code[];

  constructor(sql: string, dialect: Dialect) {
    this.#sql = sql;
    this.#dialect = dialect;
    this.#code = codeOf(sql, dialect);
  }

  /** Replaces every occurrence of the fragment. */
  replace(fragment: string, by: string): string {
    let text = this.#sql;
    for (const { at, end } of this.#places(fragment).reverse()) {
      text = text.slice(0, at) + by + text.slice(end);
    }
    return text;
  }

  /** Writes a fragment at the end of a clause, which is made if it is not there. */
  addTo(clause: "FROM" | "WHERE" | "GROUP BY" | "HAVING", fragment: string): string {
    const own = this.#clauseAt(clause);
    const ranks = CLAUSES.slice(CLAUSES.indexOf(clause) + 1);
    const next = this.#code.find(
      ({ depth, text, at }) =>
        depth === 0 &&
        ranks.some((rank) => rank.split(" ")[0] === text.toUpperCase()) &&
        at > (own ?? 0),
    );
    const at = next?.at ?? this.#sql.length;
    const word = own === undefined ? `${clause} ` : JOINERS[clause];
    return `${this.#sql.slice(0, at).trimEnd()}${own === undefined || clause !== "GROUP BY" ? " " : ""}${word}${fragment} ${this.#sql.slice(at)}`.trim();
  }

  /** Removes a condition with the AND beside it, or with WHERE when it is the only one. */
  withoutCondition(fragment: string): string {
    const [place] = this.#places(fragment);
    if (place === undefined) return this.#sql;
    const before = this.#code.filter(({ end }) => end <= place.at).at(-1);
    const after = this.#code.find(({ at }) => at >= place.end);
    const isBefore = before !== undefined && /^and$/i.test(before.text);
    const isAfter = after !== undefined && /^and$/i.test(after.text);
    const isOnly = !isBefore && !isAfter && before !== undefined;
    const begin = isBefore || isOnly ? before.at : place.at;
    const end = !isBefore && isAfter ? after.end : place.end;
    return `${this.#sql.slice(0, begin)}${this.#sql.slice(end).trimStart()}`.trim();
  }

  /** Removes an item, written with or without its table, from the list that SELECT begins with. */
  withoutItem(name: string): string {
    const from = this.#code.find(({ text, depth }) => depth === 0 && /^from$/i.test(text));
    const last = name.split(".").at(-1) ?? name;
    const items = this.#code.flatMap((token, index) => {
      const next = this.#code[index + 1];
      const isLast = token.text === last && next?.text !== ".";
      return isLast && token.at < (from?.at ?? 0) ? [index] : [];
    });
    const [index] = items;
    if (index === undefined) return this.#sql;
    const isQualified = this.#code[index - 1]?.text === ".";
    const first = isQualified ? index - 2 : index;
    const hasCommaBefore = this.#code[first - 1]?.text === ",";
    const hasCommaAfter = this.#code[index + 1]?.text === ",";
    const begin = this.#code[hasCommaBefore ? first - 1 : first]?.at ?? 0;
    const end = this.#code[!hasCommaBefore && hasCommaAfter ? index + 1 : index]?.end ?? 0;
    return `${this.#sql.slice(0, begin).trimEnd()} ${this.#sql.slice(end).trimStart()}`;
  }

  /** A call of a function, and the text of its last argument. */
  call(name: string): { readonly text: string; readonly argument: string } | undefined {
    const index = this.#code.findIndex(
      ({ text }, at) =>
        text.toLowerCase() === name.toLowerCase() && this.#code[at + 1]?.text === "(",
    );
    const begin = this.#code[index];
    const close = this.#code.find(
      ({ text, depth, at }) =>
        text === ")" && begin !== undefined && at > begin.at && depth === begin.depth,
    );
    if (begin === undefined || close === undefined) return undefined;
    const text = this.#sql.slice(begin.at, close.end);
    return { text, argument: text.slice(text.lastIndexOf(",") + 1, -1).trim() };
  }

  /** The right operand of the only occurrence of an operator: a literal or a name. */
  rightOf(operator: string): string | undefined {
    const index = this.#code.findIndex(({ text }) => text === operator);
    const from = this.#code[index + 1];
    if (index === -1 || from === undefined) return undefined;
    const last = this.#code[index + 2]?.text === "." ? this.#code[index + 3] : from;
    return this.#sql.slice(from.at, last?.end);
  }

  #clauseAt(clause: string): number | undefined {
    const [word = clause] = clause.split(" ");
    return this.#code.find(({ text, depth }) => depth === 0 && text.toUpperCase() === word)?.at;
  }

  #places(fragment: string): { readonly at: number; readonly end: number }[] {
    const wanted = codeOf(fragment, this.#dialect).map(({ text }) => text);
    const isSame = (text: string | undefined, other: string | undefined): boolean =>
      text?.toLowerCase() === other?.toLowerCase() || (text === other && /^'/.test(text ?? ""));
    return this.#code.flatMap((first, index) => {
      const last = this.#code[index + wanted.length - 1];
      const isHere = wanted.every((text, offset) => {
        const found = this.#code[index + offset]?.text;
        return /^['"]/.test(text) ? found === text : isSame(found, text);
      });
      const isPart =
        this.#code[index - 1]?.text === "." || this.#code[index + wanted.length]?.text === ".";
      return isHere && last !== undefined && !isPart ? [{ at: first.at, end: last.end }] : [];
    });
  }
}

const CLAUSES = ["FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT"];
const JOINERS = { FROM: "", WHERE: "AND ", "GROUP BY": ", ", HAVING: "AND " } as const;

function codeOf(sql: string, dialect: Dialect): readonly Code[] {
  const code: Code[] = [];
  let depth = 0;
  for (const { type, text, start } of tokenize(sql, dialect)) {
    if (text === ")") depth -= 1;
    const isCode = type !== "blank" && type !== "comment";
    if (isCode) code.push({ text, at: start, end: start + text.length, depth });
    if (text === "(") depth += 1;
  }
  return code;
}

/** Whether two statements are the same but for blanks and the case of names and keywords. */
export function isSameStatement(one: string, other: string, dialect: Dialect): boolean {
  const normal = (sql: string): string =>
    codeOf(sql, dialect)
      .map(({ text }) => (text.startsWith("'") ? text : text.toLowerCase()))
      .join(" ");
  return normal(one) === normal(other);
}
