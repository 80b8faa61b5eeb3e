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
import { meantValue } from "../values/meant-value.js";

/** Values and columns of types that do not go together. */
export const types: FailureRule = (failed) =>
  RULES.flatMap(({ pattern, rule }) => {
    const match = pattern.exec(failed.message);
    return match === null ? [] : rule(failed, match);
  });

interface TypeRule {
  readonly pattern: RegExp;
  readonly rule: (failed: FailedStatement, match: RegExpExecArray) => readonly Correction[];
}

const RULES: readonly TypeRule[] = [
  {
    pattern: /^operator does not exist: (.+?) ([<>=!~]+) (.+)$/,
    rule: (failed, [, left = "", operator = "", right = ""]) =>
      operands(failed, operator, [left, right]),
  },
  {
    pattern: /^function (\w+)\((.+?)(?:, .+)?\) does not exist$/,
    rule: (failed, [, name = "", type = ""]) => castArgument(failed, name, type),
  },
  {
    pattern: /^invalid input value for enum "?(\w+)"?: "(.*)"$/,
    rule: ({ tables }, [, type = "", value = ""]) => enumValue(tables, type, value),
  },
  {
    pattern:
      /^(?:date\/time field value out of range|invalid input syntax for type (?:date|timestamp[\w ]*)): "(.*)"$/,
    rule: (_, [, value = ""]) => {
      const date = isoDate(value);
      return date === undefined ? [] : [useInstead(`'${date}'`, `'${value}'`)];
    },
  },
  {
    pattern:
      /^invalid input syntax for type (?:integer|bigint|smallint|numeric|double precision|real): "(.*)"$/,
    rule: (_, [, value = ""]) => {
      const number = plainNumber(value);
      return number === undefined ? [] : [useInstead(number, `'${value}'`)];
    },
  },
  {
    pattern: /^table (.+) has (\d+) columns but (\d+) values were supplied$/,
    rule: ({ tables }, [, table = "", , count]) => insertedColumns(tables, table, Number(count)),
  },
  {
    pattern:
      /^(?:sub-select returns \d+ columns - expected 1|subquery (?:has too many columns|must return only one column))$/,
    rule: ({ scopes, sql }) => firstOfSelected(scopes, sql),
  },
];

/** A comparison of columns or literals of two types. */
function operands(
  { scopes, sql, tables, position }: FailedStatement,
  operator: string,
  [left, right]: readonly [string, string],
): readonly Correction[] {
  for (const scope of scopes) {
    const comparison = scope.conditions.find(
      (each) =>
        each.operator === operator &&
        (position === undefined || (each.at <= position && position <= each.end)) &&
        isOf(scope, each.left, left) &&
        each.right.every((side) => isOf(scope, side, right)),
    );
    const [other] = comparison?.right ?? [];
    if (comparison === undefined || other === undefined) continue;
    const written = sql.slice(comparison.at, comparison.end);
    const own = comparison.left;
    const fragment = matched({ own, other, operator }, [left, right], tables);
    if (fragment !== undefined) return [useInstead(fragment, written)];
  }
  return [];
}

function matched(
  {
    own,
    other,
    operator,
  }: { readonly own: Operand; readonly other: Operand; readonly operator: string },
  [left, right]: readonly [string, string],
  tables: KnownTables,
): string | undefined {
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

function isOf(scope: Scope, side: Operand, type: string): boolean {
  if (side.kind === "number") return /^(?:integer|numeric|bigint|double precision)$/.test(type);
  if (side.kind !== "column") return side.kind === "text" && (isText(type) || type === "unknown");
  const owner = sourceOf(scope, side.column);
  const known = owner && columnNamed(owner.table, side.column.name)?.type;
  return known === undefined || baseType(known) === baseType(type);
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

function castArgument(
  { scopes, sql }: FailedStatement,
  name: string,
  type: string,
): readonly Correction[] {
  if (!OF_NUMBERS.has(name) || type === "unknown") return [];
  return scopes
    .flatMap(({ query: { tokens } }) =>
      tokens.flatMap((token, index) => {
        const open = tokens[index + 1];
        if (token.lower !== name || open?.text !== "(") return [];
        const close = closing(tokens, index + 1);
        const end = tokens.findIndex(
          (each, at) =>
            at > index + 1 && at < close && each.text === "," && each.depth === open.depth + 1,
        );
        const last = end === -1 ? close : end;
        const argument = sql.slice(open.end, tokens[last]?.at);
        const rest = sql.slice(tokens[last]?.at, tokens[close]?.end);
        const isExpression = !/^[\w."]+$/.test(argument) && !/^\w+\([^()]*\)$/.test(argument);
        const fragment = `${token.text}(${isExpression ? `(${argument})` : argument}::numeric${rest}`;
        return [useInstead(fragment, sql.slice(token.at, tokens[close]?.end))];
      }),
    )
    .slice(0, 1);
}

function closing(tokens: readonly CodeToken[], open: number): number {
  const depth = tokens[open]?.depth ?? 0;
  return tokens.findIndex(({ text, depth: own }, at) => at > open && text === ")" && own === depth);
}

function enumValue(tables: KnownTables, type: string, value: string): readonly Correction[] {
  for (const table of tables.all) {
    const column = table.columns.find(
      (each) => each.enumValues !== undefined && each.type.replaceAll('"', "").endsWith(type),
    );
    const held = column?.enumValues ?? [];
    const meant = meantValue(value, held);
    if (column === undefined || meant === undefined) continue;
    const part = { table, columns: [column.name] };
    const correction = useInstead(`'${meant}'`, `'${value}'`, [part]);
    const values = held.slice(0, VALUES_MAX).join(", ");
    return [
      { ...correction, sentence: `${correction.sentence} ${type} has the values ${values}.` },
    ];
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
  const columns = withoutKey(table);
  if (columns.length !== count) {
    const all = table.columns.map((column) => tables.written(column.name));
    const part = { table, columns: table.columns.map((column) => column.name) };
    const sentence = `Name the columns that the values are for, out of ${all.join(", ")}.`;
    return [{ sentence, names: [part] }];
  }
  const list = columns.map((column) => tables.written(column)).join(", ");
  const written = tables.written(table.name);
  return [useInstead(`${written} (${list}) VALUES`, `${written} VALUES`, [{ table, columns }])];
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
