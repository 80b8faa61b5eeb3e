import type { Relation } from "@steward/schema";
import type { Correction, ReadStatement } from "../../correction.js";
import { columnNamed, type KnownTables } from "../../schema/known-tables.js";
import type { CodeToken } from "../../statement/code.js";
import { type Scope, sourceOf } from "../../statement/scope.js";
import { closeOf, columnOf, isName } from "../../statement/select.js";
import { clauseOf, kindOfType, writtenFrom } from "./terms.js";

/** An expression of texts that a statement orders: by ORDER BY, min or max, or by a comparison. */
export interface OrderedText {
  readonly table: Relation;
  readonly column: string;
  /** As the statement writes it, without the table's alias. */
  readonly expression: string;
  /** Whether values are only read after an empty result. */
  readonly isOnlyIfEmpty: boolean;
}

/** The least and the greatest value as the engine orders them, and some others. */
export interface ReadValues {
  readonly low: unknown;
  readonly high: unknown;
  readonly some: readonly unknown[];
}

/** What a statement orders as texts, or on SQLite as values of any type. */
export function orderedTexts({ scopes, tables, sql }: ReadStatement): readonly OrderedText[] {
  return scopes.flatMap((scope) => [
    ...extremes(scope, tables, sql),
    ...topRows(scope, tables, sql),
    ...compared(scope, tables),
  ]);
}

/** min(column), max(column). */
function extremes(scope: Scope, tables: KnownTables, sql: string): readonly OrderedText[] {
  const tokens = clauseOf(scope, "select");
  return tokens.flatMap((token, index) => {
    if (!/^(?:min|max)$/.test(token.lower) || tokens[index + 1]?.text !== "(") return [];
    const close = closeOf(tokens, index + 1);
    return textOf(scope, tokens.slice(index + 2, close), tables, sql) ?? [];
  });
}

/** ORDER BY of a statement with a limit, whose rows depend on the order. */
function topRows(scope: Scope, tables: KnownTables, sql: string): readonly OrderedText[] {
  const order = clauseOf(scope, "order");
  if (!scope.clauses.has("limit") || order[0]?.lower !== "by") return [];
  const end = order.findIndex(
    ({ text, lower, depth }) => depth === 0 && (text === "," || /^(?:asc|desc|nulls)$/.test(lower)),
  );
  return [textOf(scope, order.slice(1, end === -1 ? undefined : end), tables, sql) ?? []].flat();
}

/** A column ordered against a literal. An ISO date is usual, and only doubtful when nothing is found. */
function compared(scope: Scope, tables: KnownTables): readonly OrderedText[] {
  return scope.conditions.flatMap(({ left, operator, right }) => {
    const [other] = right;
    if (!/^[<>]=?$/.test(operator) || left.kind !== "column" || other?.kind !== "text") return [];
    const owner = sourceOf(scope, left.column);
    const column = owner && columnNamed(owner.table, left.column.name);
    if (
      owner === undefined ||
      column === undefined ||
      kindOfType(column.type, tables.dialect) !== "text"
    )
      return [];
    const isDate = /^'\d{4}-\d\d/.test(other.text);
    if (!isDate && !/^'\d/.test(other.text)) return [];
    const expression = tables.written(column.name);
    return [{ table: owner.table, column: column.name, expression, isOnlyIfEmpty: isDate }];
  });
}

/** A column of texts, or a path into a JSON column that gives one. */
function textOf(
  scope: Scope,
  tokens: readonly CodeToken[],
  tables: KnownTables,
  sql: string,
): OrderedText | undefined {
  const end = tokens.findIndex(
    (token, index) => index > 0 && token.text !== "." && tokens[index - 1]?.text !== ".",
  );
  const last = end === -1 ? tokens.length : end;
  if (!tokens.slice(0, last).every(isPartOfPath)) return undefined;
  const reference = columnOf(tokens, 0, last);
  const owner = sourceOf(scope, reference);
  const column = owner && columnNamed(owner.table, reference.name);
  if (owner === undefined || column === undefined) return undefined;
  // A condition on the column may choose the values that can be ordered.
  const where = clauseOf(scope, "where");
  if (where.some(({ lower }) => lower === reference.name)) return undefined;
  const path = tokens.slice(last);
  const isPath = path.every(({ text, kind }, index) =>
    index % 2 === 0 ? /^->>?$/.test(text) : kind === "text",
  );
  if (!isPath) return undefined;
  const isText = kindOfType(column.type, tables.dialect) === "text";
  const isAny = tables.dialect === "sqlite" && column.type === "";
  const isOfJson = path.length > 0 && path.at(-2)?.text === "->>";
  if (path.length > 0 ? !isOfJson : !isText && !isAny) return undefined;
  const rest = path.length === 0 ? "" : ` ${writtenFrom(sql, path[0], path.at(-1))}`;
  return {
    table: owner.table,
    column: column.name,
    expression: tables.written(column.name) + rest,
    isOnlyIfEmpty: false,
  };
}

function isPartOfPath(token: CodeToken): boolean {
  return token.text === "." || isName(token);
}

/** Says in which order the values are, when it is neither that of numbers nor that of dates. */
export function misordered(
  { table, column, expression }: OrderedText,
  values: ReadValues,
): readonly Correction[] {
  const order = orderOf(values);
  return order === undefined
    ? []
    : [{ sentence: `\`${expression}\` ${order}`, names: [{ table, columns: [column] }] }];
}

function orderOf({ low, high, some }: ReadValues): string | undefined {
  if (typeof low === "number" && typeof high === "string") {
    return `holds numbers and texts such as '${high}', and any text is greater than any number: leave the texts out.`;
  }
  const texts = [...some, low, high].filter((value) => typeof value === "string");
  if (texts.length < 2) return undefined;
  if (texts.every((text) => /^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/.test(text))) {
    return `holds dates as texts such as '${texts[0] ?? ""}', which are ordered by their first digits: order them by year, month and day.`;
  }
  if (texts.every((text) => VERSION.test(text)) && isOtherOrder(texts, versionNumbers)) {
    return `holds versions as texts such as '${texts[0] ?? ""}', which are ordered letter by letter: compare their parts as numbers.`;
  }
  if (
    texts.every((text) => NUMBER.test(text)) &&
    isOtherOrder(texts, (text) => [Number.parseFloat(text)])
  ) {
    return `holds numbers as texts such as '${texts[0] ?? ""}', which are ordered letter by letter: cast them to numbers.`;
  }
  return undefined;
}

const VERSION = /^v?\d+(?:\.\d+){1,3}(?:[-+]\S*)?$/;
/** A number, possibly with a unit. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:\s*\p{L}{1,3}|\s*%)?$/u;

function versionNumbers(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** Whether the values' order as texts is another one than that of their numbers. */
function isOtherOrder(
  texts: readonly string[],
  numbersOf: (text: string) => readonly number[],
): boolean {
  const sorted = texts.toSorted((a, b) => (a < b ? -1 : 1)).map(numbersOf);
  return sorted.some((own, index) => {
    const next = sorted[index + 1];
    if (next === undefined) return false;
    const at = own.findIndex((number, place) => number !== next[place]);
    return at !== -1 && next[at] !== undefined && (own[at] ?? 0) > next[at];
  });
}
