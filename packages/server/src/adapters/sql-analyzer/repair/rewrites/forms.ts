import type { Dialect } from "../../../../governance/index.js";
import { intervalOf, sqliteOffset, sqlitePart, sqliteTime } from "./calls.js";
import {
  argumentsIn,
  closeOf,
  operandEnd,
  operandStart,
  type Statement,
  textBetween,
} from "./code.js";

/** A fragment of a statement, and what the engine takes in its place. */
export interface Edit {
  readonly written: string;
  readonly fragment: string;
}

/** Reads one form at a token; undefined when it is not there. */
type FormAt = (statement: Statement, at: number) => Edit | undefined;

/** Forms of other dialects that are not function calls, and how this dialect writes them. */
export function formsOf(dialect: Dialect): readonly FormAt[] {
  return dialect === "sqlite" ? SQLITE : POSTGRES;
}

function lower({ code }: Statement, at: number): string {
  return code[at]?.kind === "name" ? "" : (code[at]?.lower ?? "");
}

/** One word or sign in place of another one. */
function word(written: string, fragment: string): FormAt {
  return (statement, at) =>
    lower(statement, at) === written
      ? { written: statement.code[at]?.text ?? "", fragment }
      : undefined;
}

/** `value::type`, which SQLite writes as CAST. */
const doubleColon: FormAt = (statement, at) => {
  const { code, sql } = statement;
  const [sign, next] = [code[at], code[at + 1]];
  // SQLite's tokens take the second colon for the beginning of a parameter.
  const isCast = sign?.text === "::" || (sign?.text === ":" && next?.text.startsWith(":") === true);
  if (!isCast || next === undefined) return undefined;
  const first = operandStart(statement, at - 1);
  if (first === undefined) return undefined;
  const rest = sql.slice(sign.at + 2);
  const type =
    /^\s*([a-z_]\w*(?:\s+(?:precision|varying))?(?:\s*\(\s*\d+(?:\s*,\s*\d+)?\s*\))?)/i.exec(
      rest,
    )?.[1];
  if (type === undefined) return undefined;
  const value = textBetween(statement, first, at - 1);
  const fragment = sqliteCast(value, type.toLowerCase());
  return fragment === undefined ? undefined : { written: `${value}::${type}`, fragment };
};

function sqliteCast(value: string, type: string): string | undefined {
  if (/^date$/.test(type)) return `date(${value})`;
  if (/^timestamp/.test(type)) return `datetime(${value})`;
  if (/^(?:int|bigint|smallint)/.test(type)) return `CAST(${value} AS INTEGER)`;
  if (/^(?:numeric|decimal|real|float|double)/.test(type)) return `CAST(${value} AS REAL)`;
  // These are no types of SQLite: JSON is a text, and a truth value a number.
  if (/^(?:jsonb?|bool|boolean)$/.test(type)) return value;
  return /^(?:text|varchar|char)/.test(type) ? `CAST(${value} AS TEXT)` : undefined;
}

/** `time + INTERVAL '7 days'`, which SQLite writes as a modifier. */
const interval: FormAt = (statement, at) => {
  const { code } = statement;
  const [before, next] = [code[at - 1]?.text, code[at + 1]];
  if (lower(statement, at) !== "interval" || (before !== "+" && before !== "-")) return undefined;
  const hasUnit = next?.kind === "number" || /^'-?\d+'$/.test(next?.text ?? "");
  const end = hasUnit ? at + 2 : at + 1;
  const amount = intervalOf(textBetween(statement, at, end));
  let first = operandStart(statement, at - 2);
  if (amount === undefined || first === undefined) return undefined;
  if (/^(?:date|timestamp)$/.test(lower(statement, first - 1)) && code[first]?.kind === "text")
    first -= 1;
  const fragment = sqliteOffset(textBetween(statement, first, at - 2), before, amount);
  return fragment === undefined
    ? undefined
    : { written: textBetween(statement, first, end), fragment };
};

/** INTERVAL 10 DAY: PostgreSQL puts the amount and the unit in quotes. */
const bareInterval: FormAt = (statement, at) => {
  if (lower(statement, at) !== "interval" || statement.code[at + 1]?.kind !== "number")
    return undefined;
  const written = textBetween(statement, at, at + 2);
  const amount = intervalOf(written);
  return amount && { written, fragment: `INTERVAL '${amount.count} ${amount.unit}'` };
};

/** DATE '2026-01-31': SQLite has no type for dates, and compares them as texts. */
const dateLiteral: FormAt = (statement, at) => {
  const isLiteral = statement.code[at + 1]?.kind === "text";
  if (!/^(?:date|timestamp)$/.test(lower(statement, at)) || !isLiteral) return undefined;
  const isMoved =
    /^[+-]$/.test(statement.code[at + 2]?.text ?? "") && lower(statement, at + 3) === "interval";
  const written = textBetween(statement, at, at + 1);
  return isMoved ? undefined : { written, fragment: sqliteTime(written) };
};

/** EXTRACT(part FROM time). */
const extract: FormAt = (statement, at) => {
  if (lower(statement, at) !== "extract" || lower(statement, at + 3) !== "from") return undefined;
  const close = closeOf(statement, at + 1);
  if (close === -1) return undefined;
  const fragment = sqlitePart(lower(statement, at + 2), textBetween(statement, at + 4, close - 1));
  return fragment === undefined
    ? undefined
    : { written: textBetween(statement, at, close), fragment };
};

/** POSITION(part IN text), SUBSTRING(text FROM 1 FOR 2). */
const keywordArguments: FormAt = (statement, at) => {
  const name = lower(statement, at);
  const close = closeOf(statement, at + 1);
  if ((name !== "position" && name !== "substring") || close === -1) return undefined;
  const inner = textBetween(statement, at + 2, close - 1);
  const written = textBetween(statement, at, close);
  if (name === "position") {
    const [, part, text] = /^('[^']*'|[\w."]+)\s+in\s+([\w."]+)$/i.exec(inner) ?? [];
    return part === undefined || text === undefined
      ? undefined
      : { written, fragment: `instr(${text}, ${part})` };
  }
  const [, text, from, count] = /^([\w."]+)\s+from\s+(\d+)(?:\s+for\s+(\d+))?$/i.exec(inner) ?? [];
  if (text === undefined || from === undefined) return undefined;
  return {
    written,
    fragment: `substr(${text}, ${from}${count === undefined ? "" : `, ${count}`})`,
  };
};

/** `> ALL (SELECT value …)`, as a comparison with the greatest or least value. */
const quantified: FormAt = (statement, at) => {
  const { code } = statement;
  const quantifier = lower(statement, at);
  const operator = code[at - 1]?.text ?? "";
  const isAny = quantifier === "any" || quantifier === "some";
  if ((!isAny && quantifier !== "all") || lower(statement, at + 2) !== "select") return undefined;
  const close = closeOf(statement, at + 1);
  if (close === -1) return undefined;
  if (operator === "=" && isAny)
    return { written: textBetween(statement, at - 1, at), fragment: "IN" };
  if (/^(?:<>|!=)$/.test(operator) && !isAny)
    return { written: textBetween(statement, at - 1, at), fragment: "NOT IN" };
  const end = operandEnd(statement, at + 3);
  if (!/^[<>]=?$/.test(operator) || end === undefined || lower(statement, end + 1) !== "from")
    return undefined;
  const isGreatest = operator.startsWith(">") !== isAny;
  const value = textBetween(statement, at + 3, end);
  return {
    written: textBetween(statement, at, end),
    fragment: `(SELECT ${isGreatest ? "max" : "min"}(${value})`,
  };
};

/** LIMIT 10, 20 of MySQL. */
const limitWithOffset: FormAt = (statement, at) => {
  const { code } = statement;
  if (lower(statement, at) !== "limit" || code[at + 2]?.text !== ",") return undefined;
  const [offset = "", count = ""] = [code[at + 1]?.text, code[at + 3]?.text];
  return {
    written: textBetween(statement, at, at + 3),
    fragment: `LIMIT ${count} OFFSET ${offset}`,
  };
};

/** OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY. */
const fetchFirst: FormAt = ({ sql, code }, at) => {
  const begin = code[at];
  const isStart =
    begin?.lower === "offset" ||
    (begin?.lower === "fetch" && !/\boffset\s+\d+\s+rows?\s*$/i.test(sql.slice(0, begin.at)));
  const match =
    /^(?:offset\s+(\d+)\s+rows?\s+)?fetch\s+(?:first|next)\s+(\d+)\s+rows?\s+only/i.exec(
      sql.slice(begin?.at),
    );
  const [written, offset, count] = match ?? [];
  if (!isStart || written === undefined || count === undefined) return undefined;
  return { written, fragment: `LIMIT ${count}${offset === undefined ? "" : ` OFFSET ${offset}`}` };
};

/** UPDATE a JOIN b ON … SET … WHERE …, which both engines write with FROM. */
const updateJoin: FormAt = (statement, at) => {
  const { sql, code } = statement;
  if (at !== 0 || lower(statement, 0) !== "update") return undefined;
  const find = (name: string, from = 0): number =>
    code.findIndex(({ lower: text, depth }, index) => index > from && depth === 0 && text === name);
  const [join, set] = [find("join"), find("set")];
  const on = find("on", join);
  const isInner = !/^(?:left|right|full|cross|outer)$/.test(lower(statement, join - 1));
  if (join === -1 || set < join || on === -1 || on > set || !isInner || find("join", join) !== -1)
    return undefined;
  const last = lower(statement, join - 1) === "inner" ? join - 2 : join - 1;
  const alias = last > 1 ? code[last] : undefined;
  const tableEnd =
    alias === undefined ? last : lower(statement, last - 1) === "as" ? last - 2 : last - 1;
  const table = textBetween(statement, 1, code[last - 1]?.text === "." ? last : tableEnd);
  const isPath = code[last - 1]?.text === ".";
  const name = isPath || alias === undefined ? table : alias.text;
  const other = textBetween(statement, join + 1, on - 1);
  const where = find("where", set);
  const condition = textBetween(statement, on + 1, set - 1);
  const end = where === -1 ? code.length : where;
  const assigned = textBetween(statement, set + 1, end - 1).replace(
    new RegExp(`(^|,\\s*)${name.replaceAll(/\W/g, "\\$&")}\\.`, "gi"),
    "$1",
  );
  const rest =
    where === -1 ? "" : ` AND (${sql.slice(code[where]?.end).replace(/;\s*$/, "").trim()})`;
  const renamed = isPath || alias === undefined ? "" : ` AS ${alias.text}`;
  return {
    written: sql.replace(/;\s*$/, "").trim(),
    fragment: `UPDATE ${table}${renamed} SET ${assigned} FROM ${other} WHERE ${condition}${rest}`,
  };
};

/** QUALIFY of a window function: a condition outside of the query that computes it. */
const qualify: FormAt = (statement, at) => {
  const { sql, code } = statement;
  if (
    lower(statement, at) !== "qualify" ||
    code[at]?.depth !== 0 ||
    lower(statement, 0) !== "select"
  )
    return undefined;
  const over = code.findIndex(({ lower: text }, index) => index > at && text === "over");
  const close = over === -1 ? -1 : closeOf(statement, over + 1);
  const from = code.findIndex(({ lower: text, depth }) => text === "from" && depth === 0);
  const compared = sql.slice(code[close]?.end).trim().replace(/;$/, "");
  const condition = /^(?:[<>]=?|=)\s*\d+/.exec(compared)?.[0];
  if (close === -1 || from === -1 || condition === undefined) return undefined;
  const items = textBetween(statement, 1, from - 1);
  const names = items.split(",").map((item) => /(?:^|[.\s])("[^"]+"|\w+)$/.exec(item.trim())?.[1]);
  if (/[(*]/.test(items) || names.includes(undefined)) return undefined;
  const window = textBetween(statement, at + 1, close);
  const body = textBetween(statement, from, at - 1);
  const rest = compared.slice(condition.length).trim();
  return {
    written: sql.replace(/;\s*$/, "").trim(),
    fragment: `SELECT ${names.join(", ")} FROM (SELECT ${items}, ${window} AS place ${body}) AS ranked WHERE place ${condition}${rest === "" ? "" : ` ${rest}`}`,
  };
};

/** SELECT TOP 5 of T-SQL has its limit at the end. */
const top: FormAt = (statement, at) => {
  const { sql, code } = statement;
  if (at !== 0 || lower(statement, 0) !== "select" || lower(statement, 1) !== "top")
    return undefined;
  const match = /^\s*select\s+top\s*(?:\(\s*(\d+)\s*\)|(\d+))\s*/i.exec(sql);
  const count = match?.[1] ?? match?.[2];
  if (
    match === null ||
    count === undefined ||
    code.some(({ lower: text, depth }) => depth === 0 && text === "limit")
  )
    return undefined;
  const rest = sql.slice(match[0].length).replace(/;\s*$/, "").trim();
  return { written: sql.replace(/;\s*$/, "").trim(), fragment: `SELECT ${rest} LIMIT ${count}` };
};

/** CONVERT(type, value) of T-SQL. */
const convert: FormAt = (statement, at) => {
  const close = closeOf(statement, at + 1);
  if (lower(statement, at) !== "convert" || statement.code[at + 1]?.text !== "(" || close === -1)
    return undefined;
  const [type = "", value, ...others] = argumentsIn(statement, at + 1, close);
  if (value === undefined || others.length > 0 || !/^\w+(?:\(\d+(?:,\s*\d+)?\))?$/.test(type))
    return undefined;
  return { written: textBetween(statement, at, close), fragment: `CAST(${value} AS ${type})` };
};

/** SELECT … MINUS SELECT … of Oracle. */
const minus: FormAt = (statement, at) =>
  lower(statement, at) === "minus" && lower(statement, at + 1) === "select"
    ? { written: textBetween(statement, at, at + 1), fragment: "EXCEPT SELECT" }
    : undefined;

/** SYSDATE of Oracle, which is no call; a column may have that name behind a table's. */
function sysdate(fragment: string): FormAt {
  return (statement, at) =>
    lower(statement, at) === "sysdate" &&
    statement.code[at - 1]?.text !== "." &&
    statement.code[at + 1]?.text !== "."
      ? { written: statement.code[at]?.text ?? "", fragment }
      : undefined;
}

const BOTH: readonly FormAt[] = [
  updateJoin,
  qualify,
  top,
  convert,
  word("=<", "<="),
  word("=>", ">="),
  minus,
];

const SQLITE: readonly FormAt[] = [
  ...BOTH,
  sysdate("datetime('now')"),
  doubleColon,
  interval,
  dateLiteral,
  extract,
  keywordArguments,
  quantified,
  fetchFirst,
  word("ilike", "LIKE"),
  word("&&", "AND"),
];

const POSTGRES: readonly FormAt[] = [
  ...BOTH,
  sysdate("now()"),
  bareInterval,
  limitWithOffset,
  word("==", "="),
  word("regexp", "~*"),
  word("rlike", "~*"),
  word("<=>", "IS NOT DISTINCT FROM"),
];
