import type { Dialect } from "../../governance/index.js";
import { tokenize } from "../../plans/index.js";
import type { Token } from "@steward/schema/sql";

/** A token of a query: code without blanks and comments. */
export interface CodeToken {
  readonly kind: "word" | "name" | "number" | "text" | "symbol" | "parameter" | "query";
  /** As written; of a query in parentheses, the text with its parentheses. */
  readonly text: string;
  /** In lower case, without quotes. */
  readonly lower: string;
  /** Place in the statement, in UTF-16 units. */
  readonly at: number;
  readonly end: number;
  /** Parentheses around it within its own query. */
  readonly depth: number;
  /** The query in these parentheses. */
  readonly query?: Query;
}

/** A query, or the statement itself; a query in parentheses is one token of its outer query. */
export interface Query {
  readonly tokens: readonly CodeToken[];
  /** The query around it. */
  readonly outer?: Query;
}

/** Nested queries that are read. */
const NESTING_MAX = 16;

/** The queries of a statement, the outer ones first; a set operation has one for each side. */
export function queriesOf(sql: string, dialect: Dialect): readonly Query[] {
  const tokens = tokensOf(sql, dialect);
  const all: OpenQuery[] = [];
  readQuery({ tokens, sql, all }, 0, undefined);
  return all;
}

interface OpenQuery extends Query {
  readonly tokens: CodeToken[];
}

interface Reading {
  readonly tokens: readonly CodeToken[];
  readonly sql: string;
  readonly all: OpenQuery[];
}

/** @returns the place of the parenthesis that closes the query, or the number of tokens. */
function readQuery(reading: Reading, from: number, outer: Query | undefined, level = 0): number {
  const { tokens, sql, all } = reading;
  const open = (): OpenQuery => {
    const query: OpenQuery = { tokens: [], ...(outer === undefined ? {} : { outer }) };
    all.push(query);
    return query;
  };
  let query = open();
  let depth = 0;
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const next = tokens[index + 1]?.lower ?? "";
    if (token.text === "(" && BEGINS_QUERY.has(next) && level < NESTING_MAX) {
      const position = all.length;
      const close = readQuery(reading, index + 1, query, level + 1);
      const end = tokens[close]?.end ?? sql.length;
      const text = sql.slice(token.at, end);
      const inner = all[position];
      query.tokens.push({
        ...token,
        kind: "query",
        text,
        lower: "(",
        end,
        depth,
        ...(inner && { query: inner }),
      });
      index = close;
      continue;
    }
    if (token.text === ")") {
      if (depth === 0 && outer !== undefined) return index;
      depth -= 1;
    }
    if (depth === 0 && SET_OPERATORS.has(token.lower) && token.kind === "word") query = open();
    else query.tokens.push({ ...token, depth });
    if (token.text === "(") depth += 1;
  }
  return tokens.length;
}

const BEGINS_QUERY: ReadonlySet<string> = new Set(["select", "with"]);
const SET_OPERATORS: ReadonlySet<string> = new Set(["union", "intersect", "except"]);
function tokensOf(sql: string, dialect: Dialect): readonly CodeToken[] {
  return tokenize(sql, dialect).flatMap(({ type, text, value, start }) => {
    if (type === "blank" || type === "comment") return [];
    const lower = (type === "name" ? value : text).toLowerCase();
    const end = start + text.length;
    return [{ kind: kindOf(type), text, lower, at: start, end, depth: 0 }];
  });
}

function kindOf(type: Token["type"]): CodeToken["kind"] {
  switch (type) {
    case "word":
    case "name":
    case "number":
      return type;
    case "string":
      return "text";
    case "parameter":
    case "markup":
      return "parameter";
    default:
      return "symbol";
  }
}
