import type { CodeToken } from "./code.js";
import { type ColumnRef, columnOf, isName } from "./select.js";

/** One side of a comparison. */
export type Operand =
  | { readonly kind: "column"; readonly column: ColumnRef; readonly text: string }
  | { readonly kind: "text" | "number"; readonly text: string }
  | { readonly kind: "query"; readonly token: CodeToken; readonly text: string };

/** A comparison of a column with something simple; others are not read. */
export interface Comparison {
  readonly left: Operand;
  /** `=`, `<>`, `<`, `in`, `like` … in lower case. */
  readonly operator: string;
  /** One, except for IN with a list. */
  readonly right: readonly Operand[];
  readonly at: number;
  readonly end: number;
}

const OPERATORS: ReadonlySet<string> = new Set(["=", "==", "<>", "!=", "<", ">", "<=", ">=", "in"]);
/** Tokens that may precede a whole operand. After an operator, an operand is part of an expression. */
const BEFORE = /^(?:\(|,|and|or|not|where|on|having|when|then|else|select|case|set|by)$/;
/** Tokens that, after an operand, make the operand part of an expression. */
const CONTINUES = /^(?:[-+*/%.(]|\|\||::|collate|->>?|at)$/;

/** The comparisons in tokens of a clause. */
export function comparisonsIn(tokens: readonly CodeToken[]): readonly Comparison[] {
  return tokens.flatMap((token, index) => {
    if (!OPERATORS.has(token.lower) || token.kind === "text" || token.kind === "name") return [];
    const isNegated = tokens[index - 1]?.lower === "not";
    const left = operandBefore(tokens, isNegated ? index - 1 : index);
    const right =
      token.lower === "in" ? listAfter(tokens, index + 1) : operandAfter(tokens, index + 1);
    if (left === undefined || right === undefined) return [];
    const operator = isNegated ? `not ${token.lower}` : token.lower;
    return [{ left: left.operand, operator, right: right.operands, at: left.at, end: right.end }];
  });
}

function operandBefore(tokens: readonly CodeToken[], to: number) {
  let from = to - 1;
  const last = tokens[from];
  if (last === undefined) return undefined;
  const isColumn = isName(last);
  if (isColumn) {
    while (tokens[from - 1]?.text === "." && isName(tokens[from - 2])) from -= 2;
  }
  if (!isColumn && tokens[from]?.kind !== "text" && tokens[from]?.kind !== "number")
    return undefined;
  const before = tokens[from - 1];
  if (before !== undefined && !BEFORE.test(before.lower)) return undefined;
  const operand = operandOf(tokens, from, to);
  return operand && { operand, at: tokens[from]?.at ?? 0 };
}

function operandAfter(tokens: readonly CodeToken[], from: number) {
  let to = from + 1;
  if (isName(tokens[from])) {
    while (tokens[to]?.text === "." && isName(tokens[to + 1])) to += 2;
  }
  if (CONTINUES.test(tokens[to]?.lower ?? "")) return undefined;
  const operand = operandOf(tokens, from, to);
  return operand && { operands: [operand], end: tokens[to - 1]?.end ?? 0 };
}

/** The literals of an IN list; a list with anything else is not read. */
function listAfter(tokens: readonly CodeToken[], from: number) {
  const open = tokens[from];
  if (open?.kind === "query") {
    return { operands: [{ kind: "query", token: open, text: open.text } as const], end: open.end };
  }
  if (open?.text !== "(") return undefined;
  const operands: Operand[] = [];
  for (let index = from + 1; index < tokens.length; index += 2) {
    const token = tokens[index];
    if (token?.kind !== "text" && token?.kind !== "number") return undefined;
    operands.push({ kind: token.kind, text: token.text });
    const behind = tokens[index + 1];
    if (behind?.text === ")") return { operands, end: behind.end };
    if (behind?.text !== ",") return undefined;
  }
  return undefined;
}

function operandOf(tokens: readonly CodeToken[], from: number, to: number): Operand | undefined {
  const [first] = tokens.slice(from, to);
  if (first === undefined) return undefined;
  const { kind, text } = first;
  if (kind === "text" || kind === "number") return { kind, text };
  if (kind === "query") return { kind, token: first, text };
  if (!isName(first)) return undefined;
  const column = columnOf(tokens, from, to);
  return { kind: "column", column, text: column.text };
}
