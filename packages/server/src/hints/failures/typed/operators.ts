import { type Correction, type FailedStatement, useInstead } from "../../correction.js";
import { contentOf, literalOf } from "../../values/literal.js";
import { type Chain, operandsAt } from "./operand-chain.js";

/** What PostgreSQL takes in place of an operator between operands of these types. */
export function operatorCorrections(
  { scopes, sql }: FailedStatement,
  at: number,
): readonly Correction[] {
  const found = operandsAt(scopes, at);
  if (found === undefined) return [];
  const { left, right, operator } = found;
  const [own, other] = [left, right].map(({ at: from, end }) => sql.slice(from, end));
  const sides = { left, right, own: own ?? "", other: other ?? "", sign: operator.text };
  const fragment =
    joined(sides) ?? arrayed(sides) ?? likened(sides) ?? numbered(sides) ?? yearOf(sides);
  if (fragment === undefined) return [];
  // All signs of a chain of texts are replaced at once.
  const chain =
    operator.text === "+" ? chainOfTexts(found.scope.query.tokens, operator.at) : undefined;
  if (chain !== undefined) {
    const written = sql.slice(chain.at, chain.end);
    return [
      useInstead(
        written.replaceAll(SIGN, (text) => (text === "+" ? "||" : text)),
        written,
      ),
    ];
  }
  return [useInstead(fragment, sql.slice(left.at, right.end))];
}

/** A plus, or a literal, in which a plus is a letter. */
const SIGN = /'(?:[^']|'')*'|\+/g;

interface Sides {
  readonly left: Chain;
  readonly right: Chain;
  readonly own: string;
  readonly other: string;
  readonly sign: string;
}

function isText(type: string | undefined): boolean {
  return type !== undefined && /^(?:text|character|varchar)/.test(type);
}

/** Texts are joined by two bars. */
function joined({ left, right, own, other, sign }: Sides): string | undefined {
  const isOne = isText(left.type) || isText(right.type);
  const isOther = [left, right].every(({ type }) => isText(type) || type === "unknown");
  return sign === "+" && isOne && isOther ? `${own} || ${other}` : undefined;
}

/** The operands around a plus that further pluses continue. */
function chainOfTexts(
  tokens: readonly {
    readonly text: string;
    readonly at: number;
    readonly end: number;
    readonly depth: number;
    readonly lower: string;
  }[],
  at: number,
): { readonly at: number; readonly end: number } | undefined {
  const index = tokens.findIndex((token) => token.at === at);
  const depth = tokens[index]?.depth ?? 0;
  const isEnd = (token: (typeof tokens)[number] | undefined): boolean =>
    token === undefined || token.depth < depth || (token.depth === depth && ENDS.test(token.lower));
  let [from, to] = [index, index];
  while (!isEnd(tokens[from - 1])) from -= 1;
  while (!isEnd(tokens[to + 1])) to += 1;
  const [first, last] = [tokens[from], tokens[to]];
  return first === undefined || last === undefined ? undefined : { at: first.at, end: last.end };
}

const ENDS =
  /^(?:,|;|=|<>|!=|<|>|<=|>=|select|distinct|as|from|where|and|or|by|on|when|then|else|end|asc|desc|limit)$/;

/** A value in an array, and arrays in each other. */
function arrayed({ left, right, own, other, sign }: Sides): string | undefined {
  if (left.type?.endsWith("[]") !== true) return undefined;
  const list = /^\((.*)\)$/s.exec(other)?.[1];
  if (/^(?:@>|<@|&&|=)$/.test(sign) && list !== undefined && /^'/.test(list))
    return `${own} ${sign} ARRAY[${list}]`;
  const isOne = right.tokens.length === 1 && right.type === "unknown";
  if (/^(?:@>|&&)$/.test(sign) && isOne) return `${own} ${sign} ARRAY[${other}]`;
  const pattern =
    isOne && /^i?like$/i.test(sign) ? /^%([^%_]+)%$/.exec(contentOf(other))?.[1] : undefined;
  return pattern === undefined ? undefined : `${literalOf(pattern)} = ANY(${own})`;
}

/** LIKE compares texts only. */
function likened({ left, own, other, sign }: Sides): string | undefined {
  if (!/^(?:i?like|similar|~|~\*)$/i.test(sign) || left.type === undefined || isText(left.type))
    return undefined;
  return `${asText(own, left)} ${sign} ${other}`;
}

function asText(own: string, { type }: Chain): string {
  const isPath = type === "jsonb" && /->\s*'[^']*'$/.test(own);
  if (isPath) return own.replace(/->(\s*'[^']*')$/, "->>$1");
  return /^[\w."]+$/.test(own) ? `${own}::text` : `(${own})::text`;
}

/** A number compared, or computed, with a value of JSON or a text of an expression. */
function numbered({ left, right, own, other, sign }: Sides): string | undefined {
  if (!/^(?:=|<>|!=|<|>|<=|>=|\+|-|\*|\/)$/.test(sign)) return undefined;
  const isRead = (chain: Chain): boolean =>
    chain.tokens.length > 1 && (chain.type === "jsonb" || chain.type === "text");
  const cast = (text: string, chain: Chain): string => {
    const read = chain.type === "jsonb" ? asText(text, chain) : text;
    return `(${read})::numeric`;
  };
  const isNumber = (chain: Chain): boolean =>
    chain.type !== undefined &&
    /^(?:numeric|integer|bigint|smallint|double precision|real)/.test(chain.type);
  if (isRead(left) && isNumber(right)) return `${cast(own, left)} ${sign} ${other}`;
  if (isRead(right) && isNumber(left)) return `${own} ${sign} ${cast(other, right)}`;
  const isArithmetic = /^[-+*/]$/.test(sign);
  return isArithmetic && isRead(left) && isRead(right)
    ? `${cast(own, left)} ${sign} ${cast(other, right)}`
    : undefined;
}

/** A time compared with the number of a year. */
function yearOf({ left, own, other, sign }: Sides): string | undefined {
  const isTime = left.type !== undefined && /^(?:date|timestamp)/.test(left.type);
  const isYear = /^(?:1\d|20)\d\d$/.test(other) && /^(?:=|<>|!=|<|>|<=|>=)$/.test(sign);
  return isTime && isYear ? `extract(year FROM ${own}) ${sign} ${other}` : undefined;
}
