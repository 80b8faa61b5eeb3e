import { arrayMember } from "./typed/array-member.js";
import { operatorCorrections } from "./typed/operators.js";
import { typeOfTokens } from "./typed/operand-chain.js";
import type { Relation } from "@steward/schema";
import {
  type Correction,
  type FailedStatement,
  type FailureRule,
  useInstead,
} from "../correction.js";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import type { CodeToken } from "../statement/code.js";
import type { Operand } from "../statement/comparisons.js";
import { type Scope, sourceOf } from "../statement/scope.js";
import { contentOf, literalOf } from "../values/literal.js";
import { meantValue } from "../values/meant-value.js";

/** Values and columns of types that do not go together. */
export const types: FailureRule = (failed) => {
  const { fault, scopes, sql, tables } = failed;
  switch (fault?.kind) {
    case "operator":
      return [...operatorCorrections(failed, fault.at), ...operands(failed, fault.at)].slice(0, 1);
    case "function":
      return castArgument(failed, fault.at);
    case "value":
      return refusedValue(failed, fault.at);
    case "date":
      return replacedLiteral(literalAt(sql, fault.at), isoDate);
    case "number of values":
      return insertedColumns(tables, fault.table, fault.count);
    case "several columns":
      return firstOfSelected(scopes, sql);
    default:
      return [];
  }
};

/** A comparison of columns or literals of two types: the innermost one around the place. */
function operands({ scopes, sql, tables }: FailedStatement, at: number): readonly Correction[] {
  const around = scopes.flatMap((scope) =>
    scope.conditions
      .filter((each) => each.at <= at && at <= each.end)
      .map((comparison) => ({ scope, comparison })),
  );
  const [found] = around.sort((a, b) => b.comparison.at - a.comparison.at);
  const [other] = found?.comparison.right ?? [];
  if (found === undefined || other === undefined) return [];
  const { scope, comparison } = found;
  const { left: own, operator } = comparison;
  const [left, right] = [typeOf(scope, own), typeOf(scope, other)];
  if (left === undefined || right === undefined) return [];
  const fragment = matched({ own, other, operator }, [left, right], tables);
  return [useInstead(fragment, sql.slice(comparison.at, comparison.end))];
}

function matched(
  {
    own,
    other,
    operator,
  }: { readonly own: Operand; readonly other: Operand; readonly operator: string },
  [left, right]: readonly [string, string],
  tables: KnownTables,
): string {
  const cast = (side: Operand, type: string): string =>
    tables.dialect === "postgres" ? `${side.text}::${type}` : `CAST(${side.text} AS ${type})`;
  const isOrder = operator !== "=" && operator !== "<>" && operator !== "!=";
  if (isText(left) && other.kind === "number") {
    // Texts are ordered by letters, so that 9 comes after 10.
    return isOrder
      ? `${cast(own, "numeric")} ${operator} ${other.text}`
      : `${own.text} ${operator} '${other.text}'`;
  }
  if (isText(right) && own.kind === "number") return `'${own.text}' ${operator} ${other.text}`;
  if (isText(left)) return `${own.text} ${operator} ${cast(other, "text")}`;
  if (isText(right)) return `${cast(own, "text")} ${operator} ${other.text}`;
  return `${own.text} ${operator} ${cast(other, left)}`;
}

/** The type of one side, as far as the schema and the statement tell. */
function typeOf(scope: Scope, side: Operand): string | undefined {
  if (side.kind !== "column") {
    return side.kind === "query" ? undefined : side.kind === "number" ? "numeric" : "unknown";
  }
  const owner = sourceOf(scope, side.column);
  const known = owner && columnNamed(owner.table, side.column.name)?.type;
  return known === undefined ? undefined : baseType(known);
}

function isText(type: string): boolean {
  return /^(?:text|character varying|character)/.test(type);
}

function baseType(type: string): string {
  return type.replace(/\(.*\)/, "").trim();
}

/** Functions that compute with numbers; their argument of another type is cast. */
const OF_NUMBERS: ReadonlySet<string> = new Set([
  "sum",
  "avg",
  "round",
  "trunc",
  "ceil",
  "floor",
  "abs",
]);

function castArgument({ scopes, sql }: FailedStatement, at: number): readonly Correction[] {
  for (const scope of scopes) {
    const { tokens } = scope.query;
    const index = tokens.findIndex((token) => token.at === at && OF_NUMBERS.has(token.lower));
    const [name, open, first] = tokens.slice(index, index + 3);
    // A literal is of any type.
    if (index === -1 || open?.text !== "(" || first?.kind === "text") continue;
    const close = closing(tokens, index + 1);
    const end = tokens.findIndex(
      (each, place) =>
        place > index + 1 && place < close && each.text === "," && each.depth === open.depth + 1,
    );
    const last = end === -1 ? close : end;
    const argument = sql.slice(open.end, tokens[last]?.at);
    const rest = sql.slice(tokens[last]?.at, tokens[close]?.end);
    const type = typeOfTokens(scope, tokens.slice(index + 2, last));
    // No text can be added to a time, and a cast of one to a number always fails.
    if (type !== undefined && /^(?:date|time|interval)/.test(type)) return [];
    const isCondition =
      type === "boolean" ||
      /[<>=]|\bis\b|\bin\b|\blike\b/i.test(argument.replaceAll(/->>?|'[^']*'/g, ""));
    const read = type === "jsonb" ? argument.replace(/->(\s*'[^']*'\s*)$/, "->>$1") : argument;
    const isExpression = !/^[\w."]+$/.test(read) && !/^\w+\([^()]*\)$/.test(read);
    const target = isCondition ? "int" : "numeric";
    const fragment = `${name?.text ?? ""}(${isExpression ? `(${read})` : read}::${target}${rest}`;
    return [useInstead(fragment, sql.slice(at, tokens[close]?.end))];
  }
  return [];
}

function closing(tokens: readonly CodeToken[], open: number): number {
  const depth = tokens[open]?.depth ?? 0;
  return tokens.findIndex(({ text, depth: own }, at) => at > open && text === ")" && own === depth);
}

/** A literal that is no value of its type: of an enum, the value that was meant; else the number that was. */
function refusedValue(failed: FailedStatement, at: number): readonly Correction[] {
  const value = literalAt(failed.sql, at);
  if (value === undefined) return [];
  const member = arrayMember(failed, at);
  if (member.length > 0) return member;
  const ofEnum = enumValue(failed, value);
  return ofEnum.length > 0 ? ofEnum : replacedLiteral(value, plainNumber, "");
}

/** The value of the literal at a place; a type may stand in front of it. */
function literalAt(sql: string, at: number): string | undefined {
  const literal = /^[\w\s]*'((?:[^']|'')*)'/.exec(sql.slice(at))?.[1];
  return literal === undefined ? undefined : contentOf(`'${literal}'`);
}

function replacedLiteral(
  value: string | undefined,
  meant: (value: string) => string | undefined,
  quote = "'",
): readonly Correction[] {
  const by = value === undefined ? undefined : meant(value);
  return by === undefined || value === undefined
    ? []
    : [useInstead(quote + by + quote, literalOf(value))];
}

/** The enum of a column in the statement, or of any other column, that has a value like this one. */
function enumValue({ scopes, tables }: FailedStatement, value: string): readonly Correction[] {
  const near = scopes.flatMap(({ known }) => known.map(({ table }) => table));
  for (const table of new Set([...near, ...tables.all])) {
    for (const { name, type, enumValues = [] } of table.columns) {
      const meant = meantValue(value, enumValues);
      if (meant === undefined) continue;
      const { sentence, names } = useInstead(literalOf(meant), literalOf(value), [
        { table, columns: [name] },
      ]);
      const values = enumValues.slice(0, VALUES_MAX).join(", ");
      return [{ sentence: `${sentence} ${type} has the values ${values}.`, names }];
    }
  }
  return [];
}

/** Values of a type that a hint names. */
const VALUES_MAX = 20;

/** A date of European or American writing as ISO 8601; of two readings the only possible one. */
export function isoDate(value: string): string | undefined {
  const match = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(value.trim());
  const wrongOrder = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value.trim());
  if (wrongOrder !== null) {
    const [, year = "", day = "", month = ""] = wrongOrder;
    return Number(month) <= 12 && Number(day) > 12 ? `${year}-${month}-${day}` : undefined;
  }
  if (match === null) return undefined;
  const [, first = "", separator, second = "", year = ""] = match;
  const isAmerican = Number(second) > 12 || (separator === "/" && Number(first) <= 12);
  const [day, month] = isAmerican ? [second, first] : [first, second];
  return Number(month) > 12
    ? undefined
    : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** A number without separators of thousands and signs of currencies. */
function plainNumber(value: string): string | undefined {
  const plain = value.replaceAll(/[,\s$€£_]/g, "");
  return /^-?\d+(?:\.\d+)?$/.test(plain) ? plain : undefined;
}

/** The columns of an INSERT without its generated key. */
function insertedColumns(tables: KnownTables, name: string, count: number): readonly Correction[] {
  const table = tables.find(name);
  if (table === undefined) return [];
  const columns = insertedWithout(table, count) ?? withoutKey(table);
  if (columns.length !== count) {
    const all = table.columns.map((column) => tables.written(column.name));
    const part = { table, columns: table.columns.map((column) => column.name) };
    const sentence = `Name the columns that the values are for, out of ${all.join(", ")}.`;
    return [{ sentence, names: [part] }];
  }
  const list = columns.map((column) => tables.written(column)).join(", ");
  const written = tables.writtenTable(table);
  return [useInstead(`${written} (${list}) VALUES`, `${written} VALUES`, [{ table, columns }])];
}

/** The columns that must have a value, when there are as many; the others may be left out. */
function insertedWithout(
  { columns, primaryKey }: Relation,
  count: number,
): readonly string[] | undefined {
  const isGenerated = ({ name, type }: Relation["columns"][number]): boolean =>
    primaryKey.length === 1 && primaryKey[0] === name && /^(?:integer|bigint)$/i.test(type);
  const needed = columns.filter(
    (column) =>
      !isGenerated(column) &&
      (column.isNotNull || primaryKey.includes(column.name)) &&
      column.hasDefault !== true,
  );
  return needed.length === count ? needed.map(({ name }) => name) : undefined;
}

function withoutKey({ columns, primaryKey }: Relation): readonly string[] {
  return columns.map(({ name }) => name).filter((name) => !primaryKey.includes(name));
}

/** A query of several columns where one is wanted: the column that it is compared with, or the first. */
function firstOfSelected(scopes: readonly Scope[], sql: string): readonly Correction[] {
  for (const { conditions } of scopes) {
    for (const { left, right } of conditions) {
      const [query] = right;
      if (left.kind !== "column" || query?.kind !== "query") continue;
      const inner = scopes.find((scope) => scope.query === query.token.query);
      const selected = inner?.clauses.get("select") ?? [];
      if (!selected.some(({ text, depth }) => text === "," && depth === 0)) continue;
      const items = itemsOf(selected);
      const same = items.find((item) => item.at(-1)?.lower === left.column.name) ?? items[0];
      const written = sql.slice(selected[0]?.at, selected.at(-1)?.end);
      return [
        useInstead(`SELECT ${sql.slice(same?.[0]?.at, same?.at(-1)?.end)}`, `SELECT ${written}`),
      ];
    }
  }
  return [];
}

function itemsOf(tokens: readonly CodeToken[]): readonly (readonly CodeToken[])[] {
  const items: CodeToken[][] = [[]];
  for (const token of tokens) {
    if (token.text === "," && token.depth === 0) items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}
