import type { CodeToken, Query } from "./code.js";
import { KEYWORDS } from "./keywords.js";

/** The parts of a query that hints look at. */
export type ClauseName =
  | "with"
  | "select"
  | "from"
  | "where"
  | "group"
  | "having"
  | "order"
  | "limit"
  | "set"
  | "values"
  | "insert"
  | "update"
  | "delete"
  | "other";

/** A column as a query writes it. */
export interface ColumnRef {
  /** The alias or table in front, in lower case. */
  readonly qualifier?: string;
  /** In lower case. */
  readonly name: string;
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/** A table or query in FROM, or the table that a write changes. */
export interface Source {
  /** As written, without quotes, with its schema; absent for a query. */
  readonly table?: string;
  readonly query?: Query;
  /** The qualifier of its columns, in lower case: the alias or, without one, the table's name. */
  readonly alias: string;
  /** The alias as written. */
  readonly written: string;
  /** From the word JOIN to the end of its condition; absent for the first source and after a comma. */
  readonly join?: { readonly at: number; readonly end: number };
  /** The columns of USING. */
  readonly using: readonly string[];
  readonly usingAt?: { readonly at: number; readonly end: number };
}

/** A query with its clauses and sources. */
export interface Select {
  readonly query: Query;
  readonly clauses: ReadonlyMap<ClauseName, readonly CodeToken[]>;
  readonly sources: readonly Source[];
  readonly isCross: boolean;
}

const CLAUSE_WORDS: ReadonlyMap<string, ClauseName> = new Map([
  ["with", "with"],
  ["select", "select"],
  ["from", "from"],
  ["where", "where"],
  ["group", "group"],
  ["having", "having"],
  ["order", "order"],
  ["limit", "limit"],
  ["offset", "other"],
  ["fetch", "other"],
  ["window", "other"],
  ["returning", "other"],
  ["set", "set"],
  ["values", "values"],
  ["insert", "insert"],
  ["update", "update"],
  ["delete", "delete"],
]);

/** Reads the clauses and sources of a query. */
export function selectOf(query: Query): Select {
  const clauses = clausesOf(query.tokens);
  const from = clauses.get("from") ?? [];
  const changed = clauses.get("update") ?? clauses.get("insert") ?? [];
  const written = changed.filter(
    ({ lower }) => !/^(?:into|or|replace|ignore|abort|rollback|fail)$/.test(lower),
  );
  return {
    query,
    clauses,
    sources: [...sourcesIn(written.slice(0, endOfName(written))), ...sourcesIn(from)],
    isCross: from.some(({ lower }) => lower === "cross" || lower === "natural"),
  };
}

/** The changed table comes first, with its alias; the columns of an INSERT follow in parentheses. */
function endOfName(tokens: readonly CodeToken[]): number {
  const open = tokens.findIndex(({ text }) => text === "(");
  return open === -1 ? tokens.length : open;
}

function clausesOf(tokens: readonly CodeToken[]): Select["clauses"] {
  const clauses = new Map<ClauseName, CodeToken[]>();
  let current: CodeToken[] | undefined;
  for (const [index, token] of tokens.entries()) {
    const isWord = token.depth === 0 && token.kind === "word";
    const clause = isWord ? CLAUSE_WORDS.get(token.lower) : undefined;
    const before = tokens[index - 1]?.lower;
    // IS DISTINCT FROM, ON CONFLICT DO UPDATE SET, FOR UPDATE.
    const isPart =
      (token.lower === "from" && before === "distinct") ||
      (token.lower === "update" && (before === "do" || before === "for"));
    if (clause === undefined || isPart) {
      current?.push(token);
      continue;
    }
    current = clauses.get(clause) ?? [];
    clauses.set(clause, current);
  }
  return clauses;
}

/** The sources of a FROM clause, in their order. */
function sourcesIn(tokens: readonly CodeToken[]): readonly Source[] {
  const sources: Source[] = [];
  let joinAt: number | undefined;
  let isExpected = true;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (!isExpected) {
      if (token.lower === "join" && token.kind === "word") {
        joinAt = joinBegin(tokens, index);
        isExpected = true;
      } else if (token.text === "," && token.depth === 0) {
        joinAt = undefined;
        isExpected = true;
      }
      continue;
    }
    if (token.text === "(" || token.lower === "lateral" || token.lower === "only") continue;
    const read = sourceAt(tokens, index);
    if (read === undefined) continue;
    const { condition, ...source } = read;
    const join = joinAt === undefined ? {} : { join: { at: joinAt, end: condition.end } };
    sources.push({ ...source, ...join, ...condition.using });
    index = read.next - 1;
    isExpected = false;
  }
  return sources;
}

/** The place of LEFT, INNER and such before JOIN. */
function joinBegin(tokens: readonly CodeToken[], join: number): number {
  let index = join;
  while (/^(?:left|right|full|inner|outer|cross|natural)$/.test(tokens[index - 1]?.lower ?? "")) {
    index -= 1;
  }
  return tokens[index]?.at ?? 0;
}

function sourceAt(tokens: readonly CodeToken[], from: number) {
  const first = tokens[from];
  if (first === undefined) return undefined;
  const path = first.query === undefined ? pathAt(tokens, from) : undefined;
  if (path === undefined && first.query === undefined) return undefined;
  let next = path?.next ?? from + 1;
  const isCall = tokens[next]?.text === "(";
  if (isCall) next = afterParentheses(tokens, next);
  if (tokens[next]?.lower === "as") next += 1;
  const alias = isName(tokens[next]) ? tokens[next] : undefined;
  if (alias !== undefined) next += 1;
  const name = alias ?? tokens[(path?.next ?? from + 1) - 1];
  return {
    ...(path === undefined || isCall ? {} : { table: path.names.join(".") }),
    ...(first.query === undefined ? {} : { query: first.query }),
    alias: name?.lower ?? "",
    written: name?.text ?? "",
    using: [] as readonly string[],
    condition: conditionAfter(tokens, next),
    next,
  };
}

/** Where a join ends, and the columns of its USING. */
function conditionAfter(tokens: readonly CodeToken[], from: number) {
  const depth = tokens[from]?.depth ?? 0;
  let index = from;
  for (; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.depth > depth) continue;
    if (token.text === "," || JOIN_WORDS.test(token.lower)) break;
  }
  const last = tokens[index - 1];
  const using = tokens[from]?.lower === "using" ? tokens[from] : undefined;
  const columns = using === undefined ? [] : tokens.slice(from + 1, index).filter(isName);
  return {
    end: last?.end ?? 0,
    using:
      using === undefined
        ? {}
        : {
            using: columns.map(({ lower }) => lower),
            usingAt: { at: using.at, end: last?.end ?? using.end },
          },
  };
}

const JOIN_WORDS = /^(?:join|left|right|full|inner|cross|natural)$/;

function afterParentheses(tokens: readonly CodeToken[], open: number): number {
  return closeOf(tokens, open) + 1;
}

/** The place of the parenthesis that closes this one; the number of tokens when it is not closed. */
export function closeOf(tokens: readonly CodeToken[], open: number): number {
  const depth = tokens[open]?.depth ?? 0;
  let close = open + 1;
  while (
    close < tokens.length &&
    !(tokens[close]?.text === ")" && tokens[close]?.depth === depth)
  ) {
    close += 1;
  }
  return close;
}

/** Whether a token can be a name. */
export function isName(token: CodeToken | undefined): token is CodeToken {
  return token?.kind === "name" || (token?.kind === "word" && !KEYWORDS.has(token.lower));
}

/** Names in a path: a database, a schema, a table and a column. */
const PATH_NAMES_MAX = 4;

/** A name with the names in front of it, such as `public.orders`. */
function pathAt(tokens: readonly CodeToken[], from: number) {
  const names: string[] = [];
  let next = from;
  while (names.length < PATH_NAMES_MAX && isName(tokens[next])) {
    names.push(unquoted(tokens[next]));
    if (tokens[next + 1]?.text !== ".") return { names, next: next + 1 };
    next += 2;
  }
  return undefined;
}

function unquoted(token: CodeToken | undefined): string {
  if (token === undefined) return "";
  return token.kind === "name" ? token.text.slice(1, -1) : token.text;
}

/** The columns that tokens name, without names of functions, types of casts and aliases. */
export function columnsIn(tokens: readonly CodeToken[]): readonly ColumnRef[] {
  const columns: ColumnRef[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const path = pathAt(tokens, index);
    const first = tokens[index];
    if (path === undefined || first === undefined) continue;
    const before = tokens[index - 1];
    const isAlias = before?.lower === "as" || before?.text === "::" || endsOperand(before);
    const isCall = tokens[path.next]?.text === "(";
    const last = tokens[path.next - 1];
    if (!isAlias && !isCall && last !== undefined) columns.push(columnOf(tokens, index, path.next));
    index = path.next - 1;
  }
  return columns;
}

function endsOperand(token: CodeToken | undefined): boolean {
  if (token === undefined) return false;
  return token.text === ")" || token.kind === "text" || token.kind === "number" || isName(token);
}

/** The column that the tokens from one place to another are. */
export function columnOf(tokens: readonly CodeToken[], from: number, to: number): ColumnRef {
  const [first, last, qualifier] = [tokens[from], tokens[to - 1], tokens[to - 3]];
  const at = first?.at ?? 0;
  const end = last?.end ?? 0;
  return {
    ...(to - from < 3 || qualifier === undefined ? {} : { qualifier: qualifier.lower }),
    name: last?.lower ?? "",
    text: tokens
      .slice(from, to)
      .map(({ text }) => text)
      .join(""),
    ...{ at, end },
  };
}
