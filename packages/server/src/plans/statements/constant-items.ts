import type { Token } from "@steward/schema/sql";
import { badPlaceholder, findPlaceholder, markupEnd } from "./placeholder.js";

/** Words of an item that stand neither for a column nor for a function. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  (
    "and as asc between by case cast collate desc distinct else end false first ilike in is last like not null nulls or " +
    "then true using when"
  ).split(" "),
);
/** Words that end a list of items. */
const ENDING_WORDS: ReadonlySet<string> = new Set(
  (
    "except fetch for from group groups having intersect limit offset order partition range returning rows select union " +
    "window with"
  ).split(" "),
);

/** Grouping elements that hold a list of items, each of which may be a list in parentheses. */
const GROUPING_LISTS: ReadonlySet<string> = new Set(["CUBE", "GROUPING SETS", "ROLLUP"]);

/** An item of ORDER BY, GROUP BY, PARTITION BY or DISTINCT ON. */
interface Item {
  /** The first placeholder in it. */
  placeholder?: string;
  varies: boolean;
}

interface OpenList {
  readonly clause: string;
  readonly depth: number;
  item: Item;
}

/**
 * Refuses a placeholder that sorts or groups by one value, the same for every row: the statement would run as if it
 * were not there, though its author means the name of a column.
 * @param tokens without blanks and comments.
 * @throws AppError `BAD_PLACEHOLDER`.
 */
export function refuseConstantItems(tokens: readonly Token[]): void {
  const lists: OpenList[] = [];
  let depth = 0;
  const close = (isOver: (list: OpenList) => boolean): void => {
    for (let list = lists.at(-1); list !== undefined && isOver(list); list = lists.at(-1)) {
      requireColumn(list);
      lists.pop();
    }
  };
  for (const [index, token] of tokens.entries()) {
    if (token.text === ")") close((list) => list.depth === depth);
    if (token.text === "(") depth += 1;
    else if (token.text === ")") depth -= 1;
    const word = wordOf(token);
    if (ENDING_WORDS.has(word) && tokens[index + 1]?.text !== "(") {
      close((list) => list.depth === depth);
    }
    const clause = word === "by" ? wordOf(tokens[index - 1]) : "";
    if (/^(?:order|group|partition)$/.test(clause)) {
      lists.push({ clause: `${clause.toUpperCase()} BY`, depth, item: { varies: false } });
      continue;
    }
    const inParentheses = listInParentheses(tokens, index);
    if (inParentheses !== undefined) {
      lists.push({ clause: inParentheses, depth: depth + 1, item: { varies: false } });
      continue;
    }
    const last = lists.at(-1);
    if (last !== undefined && opensItem(tokens, index) && last.depth === depth - 1) {
      if (GROUPING_LISTS.has(last.clause)) {
        lists.push({ clause: last.clause, depth, item: { varies: false } });
      }
    }
    if (last !== undefined && token.text === "," && last.depth === depth) {
      requireColumn(last);
      last.item = { varies: false };
    }
    for (const { item } of lists) {
      const start = findPlaceholder(token.text);
      if (start !== undefined) {
        item.placeholder ??= token.text.slice(start, markupEnd(token.text, start));
      } else if (varies(tokens, index)) item.varies = true;
    }
  }
  close(() => true);
}

/** The clause whose items stand in the parentheses behind a token. */
function listInParentheses(tokens: readonly Token[], index: number): string | undefined {
  if (tokens[index + 1]?.text !== "(") return undefined;
  const [before, word] = [wordOf(tokens[index - 1]), wordOf(tokens[index])];
  if (word === "on" && before === "distinct") return "DISTINCT ON";
  if (word === "sets" && before === "grouping") return "GROUPING SETS";
  return word === "rollup" || word === "cube" ? word.toUpperCase() : undefined;
}

/** Whether a token is the parenthesis in which an item begins. */
function opensItem(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.text;
  return tokens[index]?.text === "(" && (before === "(" || before === ",");
}

function requireColumn({ clause, item: { placeholder, varies: isVarying } }: OpenList): void {
  if (placeholder === undefined || isVarying) return;
  throw badPlaceholder(
    placeholder,
    `has no effect in ${clause}: it is one value for all rows, and names cannot be parameters; ` +
      "write the column, or CASE {{…}} WHEN 'name' THEN name … END",
  );
}

/** Whether what a token stands for may differ from row to row. */
function varies(tokens: readonly Token[], index: number): boolean {
  const [before, token, behind] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (token?.type === "name") return wordOf(before) !== "collate";
  // count(*), and a function without arguments such as random().
  if (before?.text === "(") {
    if (token?.text === "*" || token?.text === ")") return true;
  }
  const word = wordOf(token);
  if (word === "" || PLAIN_WORDS.has(word) || behind?.text === "(") return false;
  return before?.text !== "::" && !/^(?:collate|as)$/.test(wordOf(before));
}

function wordOf(token: Token | undefined): string {
  return token?.type === "word" ? token.text.toLowerCase() : "";
}
