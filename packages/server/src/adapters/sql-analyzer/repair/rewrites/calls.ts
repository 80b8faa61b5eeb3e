import { formatIn, isoDateOf, isPartOfDay, type Unit, unitOf } from "./time-formats.js";

/** Writes a call of a function that the engine lacks with its own; undefined where there is no exact equivalent. */
export type Rewrite = (args: readonly string[]) => string | undefined;
/** Rewrites by the function's name in lower case. */
export type Rewrites = Readonly<Record<string, Rewrite>>;

/** `$1` and so on are the arguments; the number of arguments must be that of the template. */
function as(...templates: readonly string[]): Rewrite {
  return (args) => {
    const template = templates.find((each) => arityOf(each) === args.length);
    return template?.replaceAll(/\$(\d)/g, (_, number: string) => args[Number(number) - 1] ?? "");
  };
}

function arityOf(template: string): number {
  return Math.max(0, ...[...template.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));
}

const list =
  (name: string): Rewrite =>
  (args) =>
    args.length > 0 ? `${name}(${args.join(", ")})` : undefined;

/** Reads an interval as other databases write it: `INTERVAL 10 DAY`, `INTERVAL '10 days'`. */
export function intervalOf(
  text: string,
): { readonly count: string; readonly unit: Unit } | undefined {
  const match =
    /^interval\s+'?(-?\d+)'?\s+([a-z]+)$/i.exec(text) ??
    /^interval\s+'(-?\d+)\s+([a-z]+)'$/i.exec(text);
  const [, count = "", written = ""] = match ?? [];
  const unit = unitOf(written);
  return unit === undefined ? undefined : { count, unit };
}

/** Whether an expression is certainly a date, or certainly a time. `undefined` when neither is certain. */
function kindOfTime(value: string): "date" | "time" | undefined {
  if (
    /^(?:date\s*)?'\d{4}-\d\d-\d\d'$/i.test(value) ||
    /^(?:current_date|curdate\(\)|date\(.*\))$/i.test(value)
  )
    return "date";
  if (/^(?:timestamp\s*)?'\d{4}-\d\d-\d\d[ T][\d:.]+'$/i.test(value)) return "time";
  return /^(?:now\(\)|current_timestamp|getdate\(\)|datetime\(.*\)|sysdate(?:\(\))?)$/i.test(value)
    ? "time"
    : undefined;
}

/** Adds an interval to a time on SQLite. `undefined` where it is not known whether the value is a date or a time. */
export function sqliteOffset(
  value: string,
  sign: "+" | "-",
  { count, unit }: { readonly count: string; readonly unit: Unit },
): string | undefined {
  const kind = kindOfTime(value);
  if (kind === undefined && !isPartOfDay(unit)) return undefined;
  const name = kind === "date" && !isPartOfDay(unit) ? "date" : "datetime";
  const amount = Number(count) * (sign === "-" ? -1 : 1) * (unit === "week" ? 7 : 1);
  const written = `${amount < 0 ? "-" : "+"}${Math.abs(amount)} ${unit === "week" ? "day" : unit}`;
  return `${name}(${sqliteTime(value)}, '${written}${Math.abs(amount) === 1 ? "" : "s"}')`;
}

/** Translates an expression for a time from another database to SQLite. */
export function sqliteTime(value: string): string {
  const literal = /^(?:date|timestamp)\s*('[^']*')$/i.exec(value)?.[1];
  if (literal !== undefined) return literal;
  return /^(?:now\(\)|current_timestamp|getdate\(\)|current_date|curdate\(\)|sysdate(?:\(\))?)$/i.test(
    value,
  )
    ? "'now'"
    : value;
}

function postgresOffset(
  value: string,
  sign: "+" | "-",
  { count, unit }: { readonly count: string; readonly unit: Unit },
): string {
  return `${postgresTime(value)} ${sign} INTERVAL '${count} ${unit}${Math.abs(Number(count)) === 1 ? "" : "s"}'`;
}

/** PostgreSQL reads a bare literal as a text, so that it needs its type in front. */
function postgresTime(value: string): string {
  if (!/^'/.test(value)) return value === "getdate()" ? "now()" : value;
  return `${kindOfTime(value) === "date" ? "DATE" : "TIMESTAMP"} ${value}`;
}

const STRFTIME: Readonly<Record<string, string>> = {
  ...{ year: "%Y", month: "%m", day: "%d", hour: "%H", minute: "%M", second: "%S" },
  ...{ dow: "%w", doy: "%j" },
};
const TRUNCATED: Readonly<Record<string, string>> = {
  ...{ year: "%Y-01-01", month: "%Y-%m-01", day: "%Y-%m-%d" },
  ...{ hour: "%Y-%m-%d %H:00:00", minute: "%Y-%m-%d %H:%M:00" },
};

/** A part of a time as a number, on SQLite. */
export function sqlitePart(part: string, value: string): string | undefined {
  const name = part.replaceAll("'", "").toLowerCase();
  if (name === "epoch") return `unixepoch(${sqliteTime(value)})`;
  const format = STRFTIME[name];
  return format === undefined
    ? undefined
    : `CAST(strftime('${format}', ${sqliteTime(value)}) AS INTEGER)`;
}

const partOn =
  (write: (part: string, value: string) => string | undefined) =>
  (part: string): Rewrite =>
  ([value, ...others]) =>
    value === undefined || others.length > 0 ? undefined : write(part, value);
const partOnSqlite = partOn(sqlitePart);
const partOnPostgres = partOn((part, value) => `extract(${part} FROM ${postgresTime(value)})`);

type Offset = typeof sqliteOffset;
/** DATE_ADD(value, INTERVAL 1 DAY) of MySQL. */
const offset =
  (write: Offset, sign: "+" | "-"): Rewrite =>
  ([value, amount]) => {
    const interval = amount === undefined ? undefined : intervalOf(amount);
    return value === undefined || interval === undefined ? undefined : write(value, sign, interval);
  };
/** DATEADD(day, 1, value) of T-SQL. */
const offsetByUnit =
  (write: Offset): Rewrite =>
  ([written = "", count = "", value]) => {
    const unit = unitOf(written);
    if (unit === undefined || value === undefined || !/^-?\d+$/.test(count)) return undefined;
    const sign = count.startsWith("-") ? "-" : "+";
    return write(value, sign, { count: count.replace("-", ""), unit });
  };

/** The whole units from one time to another one, on SQLite. */
function sqliteUnits(unit: Unit | undefined, from: string, to: string): string | undefined {
  const [a, b] = [sqliteTime(from), sqliteTime(to)];
  const number = (format: string, value: string): string =>
    `CAST(strftime('${format}', ${value}) AS INTEGER)`;
  const seconds = `(unixepoch(${b}) - unixepoch(${a}))`;
  switch (unit) {
    case "year":
      return `(${number("%Y%m%d", b)} - ${number("%Y%m%d", a)}) / 10000`;
    case "day":
      return `CAST(julianday(${b}) - julianday(${a}) AS INTEGER)`;
    case "hour":
      return `${seconds} / 3600`;
    case "minute":
      return `${seconds} / 60`;
    case "second":
      return seconds;
    default:
      return undefined;
  }
}

function postgresUnits(unit: Unit | undefined, from: string, to: string): string | undefined {
  const [a, b] = [from, to].map((value) => (/^'/.test(value) ? postgresTime(value) : value));
  const seconds = `extract(epoch FROM ${b ?? ""}::timestamp - ${a ?? ""}::timestamp)`;
  switch (unit) {
    case "year":
      return `extract(year FROM age(${b ?? ""}, ${a ?? ""}))`;
    case "month":
      return `(extract(year FROM age(${b ?? ""}, ${a ?? ""})) * 12 + extract(month FROM age(${b ?? ""}, ${a ?? ""})))`;
    case "day":
      return `trunc(${seconds} / 86400)`;
    case "hour":
      return `trunc(${seconds} / 3600)`;
    case "minute":
      return `trunc(${seconds} / 60)`;
    case "second":
      return seconds;
    default:
      return undefined;
  }
}

const unitsBetween =
  (write: typeof sqliteUnits): Rewrite =>
  ([unit = "", from, to]) =>
    from === undefined || to === undefined ? undefined : write(unitOf(unit), from, to);

/** DATEDIFF(to, from) of MySQL in days, DATEDIFF(unit, from, to) of T-SQL by days. */
const days =
  (template: string): Rewrite =>
  (args) => {
    if (args.length === 2) return as(template)(args);
    const [unit = "", from = "", to = ""] = args;
    return args.length === 3 && unitOf(unit) === "day" ? as(template)([to, from]) : undefined;
  };

/** SPLIT_PART(text, separator, 1) on SQLite: what precedes the separator. */
const firstPart: Rewrite = ([text = "", separator = "", place]) =>
  place === "1"
    ? `CASE WHEN instr(${text}, ${separator}) > 0 THEN substr(${text}, 1, instr(${text}, ${separator}) - 1) ELSE ${text} END`
    : undefined;

const CURRENT: Rewrites = { nvl: as("coalesce($1, $2)"), isnull: as("coalesce($1, $2)") };
const NVL2 = as("CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END");
const LETTERS: Rewrites = {
  ...{ lcase: as("lower($1)"), ucase: as("upper($1)"), len: as("length($1)"), nvl2: NVL2 },
};

/** Formats a time by a literal format of another database. */
const formatted =
  (from: "mysql" | "strftime" | "to_char", to: "strftime" | "to_char"): Rewrite =>
  (args) => {
    const [value = "", format = ""] = from === "strftime" ? args.toReversed() : args;
    if (args.length !== 2) return undefined;
    const written = formatIn(format, from, to);
    if (written === undefined) return undefined;
    return to === "strftime" ? `strftime(${written}, ${value})` : `to_char(${value}, ${written})`;
  };

/** A value of JSON by its keys, which SQLite names in one path. */
const keyPath: Rewrite = ([doc, ...keys]) => {
  const names = keys.map((key) => /^'(\w+)'$/.exec(key)?.[1]);
  if (doc === undefined || names.length === 0 || names.includes(undefined)) return undefined;
  return `json_extract(${doc}, '$.${names.join(".")}')`;
};

/** Functions of other databases on SQLite. */
export const SQLITE_CALLS: Rewrites = {
  ...CURRENT,
  ...LETTERS,
  array_agg: as("json_group_array($1)"),
  ascii: as("unicode($1)"),
  bool_and: as("min($1)"),
  bool_or: as("max($1)"),
  btrim: as("trim($1)", "trim($1, $2)"),
  char_length: as("length($1)"),
  character_length: as("length($1)"),
  charindex: as("instr($2, $1)"),
  chr: as("char($1)"),
  curdate: as("date('now')"),
  date_add: offset(sqliteOffset, "+"),
  date_format: formatted("mysql", "strftime"),
  date_part: ([part = "", value]) => (value === undefined ? undefined : sqlitePart(part, value)),
  date_sub: offset(sqliteOffset, "-"),
  date_trunc: ([unit = "", value]) => {
    const format = TRUNCATED[unit.replaceAll("'", "").toLowerCase()];
    return format === undefined || value === undefined
      ? undefined
      : `strftime('${format}', ${value})`;
  },
  dateadd: offsetByUnit(sqliteOffset),
  datediff: days("CAST(julianday(date($1)) - julianday(date($2)) AS INTEGER)"),
  day: partOnSqlite("day"),
  every: as("min($1)"),
  from_unixtime: as("datetime($1, 'unixepoch')"),
  getdate: as("datetime('now')"),
  greatest: list("max"),
  hour: partOnSqlite("hour"),
  if: as("iif($1, $2, $3)"),
  initcap: as("upper(substr($1, 1, 1)) || lower(substr($1, 2))"),
  json_agg: as("json_group_array($1)"),
  json_build_object: list("json_object"),
  jsonb_agg: as("json_group_array($1)"),
  jsonb_array_length: as("json_array_length($1)"),
  jsonb_build_object: list("json_object"),
  least: list("min"),
  left: as("substr($1, 1, $2)"),
  locate: as("instr($2, $1)"),
  minute: partOnSqlite("minute"),
  month: partOnSqlite("month"),
  now: as("datetime('now')"),
  pg_typeof: as("typeof($1)"),
  right: ([text = "", count = ""]) =>
    /^\d+$/.test(count) ? `substr(${text}, -${count})` : undefined,
  second: partOnSqlite("second"),
  split_part: firstPart,
  str_to_date: ([value = "", format = ""]) => isoDateOf(value, format, "mysql"),
  strpos: as("instr($1, $2)"),
  substring_index: firstPart,
  date_diff: unitsBetween(sqliteUnits),
  json_extract_path_text: keyPath,
  jsonb_extract_path_text: keyPath,
  timestampdiff: unitsBetween(sqliteUnits),
  to_char: formatted("to_char", "strftime"),
  to_date: ([value = "", format = ""]) => isoDateOf(value, format, "to_char"),
  to_number: as("CAST($1 AS REAL)"),
  to_timestamp: as("datetime($1, 'unixepoch')"),
  unix_timestamp: as("unixepoch()", "unixepoch($1)"),
  year: partOnSqlite("year"),
};

/** GROUP_CONCAT([DISTINCT] value [ORDER BY …] [SEPARATOR ',']) of MySQL. */
const joinedTexts: Rewrite = ([first = "", separator]) => {
  const [, distinct = "", value = "", order = "", own] =
    /^(distinct\s+)?(.*?)(\s+order\s+by\s+.*?)?(?:\s+separator\s+('[^']*'))?$/is.exec(first) ?? [];
  const text = /^[\w."]+$/.test(value) ? `${value}::text` : `(${value})::text`;
  // PostgreSQL orders distinct texts by themselves only.
  const isOther =
    distinct !== "" && order !== "" && order.replace(/^\s+order\s+by\s+/i, "").trim() !== value;
  if (isOther) return undefined;
  const ordered = distinct === "" || order === "" ? order : ` ORDER BY ${text}`;
  return `string_agg(${distinct}${text}, ${separator ?? own ?? "','"}${ordered})`;
};

/** A path of SQL/JSON as PostgreSQL's list of keys. */
const jsonPath: Rewrite = ([doc = "", path = ""]) => {
  const keys = /^'\$((?:\.\w+|\[\d+\])+)'$/.exec(path)?.[1]?.match(/\w+/g);
  const written = /^[\w."]+$/.test(doc) ? doc : `(${doc})`;
  return keys === null || keys === undefined
    ? undefined
    : `${written}::jsonb #>> '{${keys.join(",")}}'`;
};

/** Functions of other databases on PostgreSQL. */
export const POSTGRES_CALLS: Rewrites = {
  ...CURRENT,
  ...LETTERS,
  charindex: as("strpos($2, $1)"),
  curdate: as("CURRENT_DATE"),
  date_add: offset(postgresOffset, "+"),
  date_format: formatted("mysql", "to_char"),
  date_sub: offset(postgresOffset, "-"),
  dateadd: offsetByUnit(postgresOffset),
  datediff: days("($1::date - $2::date)"),
  day: partOnPostgres("day"),
  from_unixtime: as("to_timestamp($1)"),
  getdate: as("now()"),
  group_concat: joinedTexts,
  hour: partOnPostgres("hour"),
  if: as("CASE WHEN $1 THEN $2 ELSE $3 END"),
  ifnull: as("coalesce($1, $2)"),
  iif: as("CASE WHEN $1 THEN $2 ELSE $3 END"),
  instr: as("strpos($1, $2)"),
  json_array_length: as("jsonb_array_length($1::jsonb)"),
  json_extract: jsonPath,
  json_group_array: as("jsonb_agg($1)"),
  json_value: jsonPath,
  json_type: as("jsonb_typeof($1)"),
  julianday: as("extract(julian FROM $1)"),
  listagg: as("string_agg($1::text, $2)"),
  locate: as("strpos($2, $1)"),
  median: as("percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)"),
  minute: partOnPostgres("minute"),
  month: partOnPostgres("month"),
  rand: as("random()"),
  second: partOnPostgres("second"),
  str_to_date: ([value = "", format = ""]) => {
    const written = formatIn(format, "mysql", "to_char");
    return written === undefined ? undefined : `to_date(${value}, ${written})`;
  },
  strftime: formatted("strftime", "to_char"),
  substring_index: ([text = "", separator = "", place = ""]) =>
    /^-?\d+$/.test(place) ? `split_part(${text}, ${separator}, ${place})` : undefined,
  date_diff: unitsBetween(postgresUnits),
  json_extract_string: jsonPath,
  timestampdiff: unitsBetween(postgresUnits),
  total: as("coalesce(sum($1), 0)"),
  typeof: as("pg_typeof($1)"),
  unicode: as("ascii($1)"),
  unix_timestamp: as("extract(epoch FROM now())", "extract(epoch FROM $1)"),
  unixepoch: as("extract(epoch FROM now())", "extract(epoch FROM $1)"),
  year: partOnPostgres("year"),
};
