import { columnNamed } from "../../schema/known-tables.js";
import type { CodeToken } from "../../statement/code.js";
import { type Scope, sourceOf } from "../../statement/scope.js";
import { columnOf, isName } from "../../statement/select.js";

/** The tokens of one operand of an operator: names, literals, calls, and paths into JSON. */
export interface Chain {
  readonly tokens: readonly CodeToken[];
  readonly at: number;
  readonly end: number;
  /** As PostgreSQL names it; `unknown` for a text literal; undefined when that is not certain. */
  readonly type: string | undefined;
}

/** The operands on both sides of the operator that stands at a place of the statement. */
export function operandsAt(
  scopes: readonly Scope[],
  at: number,
):
  | {
      readonly scope: Scope;
      readonly left: Chain;
      readonly right: Chain;
      readonly operator: CodeToken;
    }
  | undefined {
  for (const scope of scopes) {
    const { tokens } = scope.query;
    const index = tokens.findIndex((token) => token.at === at);
    const first = tokens[index];
    if (first === undefined) continue;
    const last = lastSign(tokens, index);
    const text = tokens
      .slice(index, last + 1)
      .map((token) => token.text)
      .join("");
    const operator = { ...first, text };
    const isNegated = tokens[index - 1]?.lower === "not";
    const left = chainOf(scope, before(tokens, isNegated ? index - 1 : index));
    const right = chainOf(scope, after(tokens, last));
    if (left !== undefined && right !== undefined) return { scope, left, right, operator };
  }
  return undefined;
}

/** The last of the signs that follow each other without a blank, as in `@>`. */
function lastSign(tokens: readonly CodeToken[], from: number): number {
  let last = from;
  while (
    tokens[last + 1]?.at === tokens[last]?.end &&
    /^[@<>=&|~*#!?]+$/.test(tokens[last + 1]?.text ?? "") &&
    tokens[last]?.kind === "symbol"
  )
    last += 1;
  return last;
}

/** Words and signs that no operand contains. */
const BOUNDS =
  /^(?:,|;|\+|-|\*|\/|%|\|\||=|==|<>|!=|<|>|<=|>=|@|@>|<@|&&|~|~\*|and|or|not|where|on|having|when|then|else|end|case|select|by|set|between|in|like|ilike|is|as|group|order|limit|from|asc|desc|distinct)$/;

function isBound({ lower, kind }: CodeToken): boolean {
  return kind !== "text" && kind !== "name" && BOUNDS.test(lower);
}

function before(tokens: readonly CodeToken[], to: number): readonly CodeToken[] {
  const depth = tokens[to]?.depth ?? 0;
  let from = to;
  for (let index = to - 1; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token === undefined || token.depth < depth) break;
    if (token.depth === depth && (isBound(token) || isOpen(tokens, index, to))) break;
    from = index;
  }
  return tokens.slice(from, to);
}

/** Whether a parenthesis is not closed before a place, so that it stands around the operand. */
function isOpen(tokens: readonly CodeToken[], open: number, to: number): boolean {
  const token = tokens[open];
  if (token?.text !== "(") return false;
  return !tokens
    .slice(open + 1, to)
    .some(({ text, depth }) => text === ")" && depth === token.depth);
}

function after(tokens: readonly CodeToken[], operator: number): readonly CodeToken[] {
  const depth = tokens[operator]?.depth ?? 0;
  let to = operator + 1;
  for (; to < tokens.length; to += 1) {
    const token = tokens[to];
    if (token === undefined || token.depth < depth) break;
    if (token.depth !== depth) continue;
    if (isBound(token) && !(token.text === "-" && to === operator + 1)) break;
    if (
      token.text === ")" &&
      !tokens.slice(operator + 1, to).some((each) => each.text === "(" && each.depth === depth)
    )
      break;
  }
  return tokens.slice(operator + 1, to);
}

function chainOf(scope: Scope, tokens: readonly CodeToken[]): Chain | undefined {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return { tokens, at: first.at, end: last.end, type: typeOfTokens(scope, tokens) };
}

/** The type that the last operator of a chain gives it. */
export function typeOfTokens(scope: Scope, tokens: readonly CodeToken[]): string | undefined {
  const [first] = tokens;
  const depth = first?.depth ?? 0;
  const path = tokens.findLast(
    (token) => token.depth === depth && /^(?:->>?|#>>?|::)$/.test(token.text),
  );
  if (path?.text === "->>" || path?.text === "#>>") return "text";
  if (path?.text === "->" || path?.text === "#>") return "jsonb";
  if (path !== undefined) return tokens[tokens.indexOf(path) + 1]?.lower;
  if (tokens.length === 1 && first?.kind === "text") return "unknown";
  if (tokens.every(({ kind, text }) => kind === "number" || text === "-")) return "numeric";
  if (!tokens.every(isOfPath)) return undefined;
  const column = columnOf(tokens, 0, tokens.length);
  const owner = sourceOf(scope, column);
  const type = owner && columnNamed(owner.table, column.name)?.type;
  return type?.replace(/\(.*?\)/, "").trim();
}

function isOfPath(token: CodeToken): boolean {
  return token.text === "." || isName(token);
}
