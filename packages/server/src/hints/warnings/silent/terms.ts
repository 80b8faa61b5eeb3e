import type { ReadStatement } from "../../correction.js";
import { columnNamed } from "../../schema/known-tables.js";
import type { CodeToken } from "../../statement/code.js";
import { type KnownSource, type Scope, sourceOf } from "../../statement/scope.js";
import { type ClauseName, closeOf, columnOf, isName } from "../../statement/select.js";

/** What a term of an expression holds, as far as the schema and the statement prove it. */
export type Kind = "integer" | "text" | "unknown";

/** One operand: a literal, a column, a call, or an expression in parentheses. */
export interface Term {
  /** Places of its first and last token. */
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  /** A literal, as written. */
  readonly literal?: string;
  readonly isAggregate: boolean;
  readonly isColumn: boolean;
}

/** The term that begins at a token. */
export function termAt(
  tokens: readonly CodeToken[],
  from: number,
  scope: Scope,
  dialect: ReadStatement["tables"]["dialect"],
): Term | undefined {
  const first = tokens[from];
  if (first === undefined) return undefined;
  const plain = { isAggregate: false, isColumn: false };
  if (first.kind === "number") {
    const kind = /^\d+$/.test(first.text) ? "integer" : "unknown";
    return { from, to: from, kind, literal: first.text, ...plain };
  }
  if (first.kind === "text") return { from, to: from, kind: "text", literal: first.text, ...plain };
  if (first.text === "(") {
    const close = closeOf(tokens, from);
    if (close >= tokens.length) return undefined;
    return { ...plain, from, to: close, kind: kindWithin(tokens, from + 1, close, scope, dialect) };
  }
  if (first.kind !== "name" && first.kind !== "word") return undefined;
  let last = from;
  while (tokens[last + 1]?.text === "." && isName(tokens[last + 2])) last += 2;
  if (tokens[last + 1]?.text !== "(") {
    if (!isName(first)) return undefined;
    const kind = kindOfColumn(scope, columnOf(tokens, from, last + 1), dialect);
    return { from, to: last, kind, isAggregate: false, isColumn: true };
  }
  const close = closeOf(tokens, last + 1);
  if (close >= tokens.length) return undefined;
  const kind = kindOfCall(tokens, { name: first.lower, open: last + 1, close }, scope, dialect);
  const to = afterFilter(tokens, close);
  return { from, to, kind, isAggregate: /^(?:count|sum)$/.test(first.lower), isColumn: false };
}

/** COUNT(*) FILTER (WHERE …) is one term. */
function afterFilter(tokens: readonly CodeToken[], close: number): number {
  const isFilter = tokens[close + 1]?.lower === "filter" && tokens[close + 2]?.text === "(";
  return isFilter ? closeOf(tokens, close + 2) : close;
}

/** Functions whose value is a whole number whatever their argument is. */
const COUNTS = /^(?:count|length|char_length|row_number|rank|dense_rank)$/;
/** Functions whose value has the type of their argument. */
const OF_ARGUMENT = /^(?:min|max|abs)$/;

function kindOfCall(
  tokens: readonly CodeToken[],
  { name, open, close }: { readonly name: string; readonly open: number; readonly close: number },
  scope: Scope,
  dialect: ReadStatement["tables"]["dialect"],
): Kind {
  if (COUNTS.test(name)) return "integer";
  if (name !== "sum" && !OF_ARGUMENT.test(name)) return "unknown";
  const first = tokens[open + 1]?.lower === "distinct" ? open + 2 : open + 1;
  const argument = termAt(tokens, first, scope, dialect);
  if (argument?.to !== close - 1) return "unknown";
  if (name !== "sum" || dialect === "sqlite") return argument.kind;
  // PostgreSQL's sum of bigint is a numeric.
  const column = tokens[argument.to];
  const owner =
    argument.isColumn && column
      ? sourceOf(scope, columnOf(tokens, argument.from, argument.to + 1))
      : undefined;
  const type = owner && column && columnNamed(owner.table, column.lower)?.type;
  return argument.kind === "integer" && type !== undefined && /^(?:integer|smallint)/.test(type)
    ? "integer"
    : "unknown";
}

/** An expression of whole numbers only is one. */
function kindWithin(
  tokens: readonly CodeToken[],
  from: number,
  to: number,
  scope: Scope,
  dialect: ReadStatement["tables"]["dialect"],
): Kind {
  let index = from;
  while (index < to) {
    const term = termAt(tokens, index, scope, dialect);
    if (term?.kind !== "integer") return "unknown";
    index = term.to + 1;
    if (index < to && !/^[-+*/%]$/.test(tokens[index]?.text ?? "")) return "unknown";
    index += 1;
  }
  return "integer";
}

function kindOfColumn(
  scope: Scope,
  column: ReturnType<typeof columnOf>,
  dialect: ReadStatement["tables"]["dialect"],
): Kind {
  const owner = sourceOf(scope, column);
  const type = owner && columnNamed(owner.table, column.name)?.type;
  return type === undefined ? "unknown" : kindOfType(type, dialect);
}

/** What a column of a type holds; SQLite follows the letters of the type (its documentation, "Determination Of Column Affinity"). */
export function kindOfType(type: string, dialect: ReadStatement["tables"]["dialect"]): Kind {
  if (dialect === "sqlite") {
    if (/INT/i.test(type)) return "integer";
    return /CHAR|CLOB|TEXT/i.test(type) ? "text" : "unknown";
  }
  if (/^(?:bigint|integer|smallint)$/.test(type)) return "integer";
  return /^(?:text|character|varchar)/.test(type) ? "text" : "unknown";
}

/** The clauses of a scope whose expressions give values. */
export function valueClauses(scope: Scope): readonly (readonly CodeToken[])[] {
  return (["select", "where", "having", "order", "set"] as const).flatMap((name) => {
    const tokens = clauseOf(scope, name);
    return tokens.length === 0 ? [] : [tokens];
  });
}

/** Tokens of a clause that is read; the time grows with the square of these. */
const CLAUSE_TOKENS_MAX = 300;

/** The tokens of a clause; none of one that is too long. */
export function clauseOf(scope: Scope, name: ClauseName): readonly CodeToken[] {
  const tokens = scope.clauses.get(name) ?? [];
  return tokens.length > CLAUSE_TOKENS_MAX ? [] : tokens;
}

/** The statement's text from one token to another one, both included. */
export function writtenFrom(
  sql: string,
  first: CodeToken | undefined,
  last: CodeToken | undefined,
): string {
  return sql.slice(first?.at, last?.end);
}

/** A column of one side of an equation, with its source. */
export interface Side {
  readonly source: KnownSource;
  readonly column: string;
}
