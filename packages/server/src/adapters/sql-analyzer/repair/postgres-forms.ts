import { functionForms, type ForeignForm } from "./foreign-form.js";

/** SQLSTATEs (PostgreSQL manual, appendix A). */
const NO_FUNCTION = "42883";
const NO_OPERATOR = NO_FUNCTION;
const NO_COLUMN = "42703";
const NO_TABLE = "42P01";
const NO_OBJECT = "42704";

const NOW = ["now()", "CURRENT_DATE"];
const ELSE_VALUE = ["coalesce(a, b)"];
const CASE = ["CASE WHEN a > b THEN a ELSE b END"];
const POSITION = ["strpos(name, part)"];
const LENGTH = ["length(name)"];
const JOINED_TEXTS = ["string_agg(name, ',')"];
const PART_OF_TIME = ["extract(year FROM value)"];
const TIME_OFFSET = ["value + interval '1 day'", "now() - interval '1 month'"];
const DAYS_BETWEEN = ["value::date - CURRENT_DATE", "extract(epoch FROM now() - value) / 86400"];
const SECONDS = ["extract(epoch FROM value)"];
const UUID = ["gen_random_uuid()"];
const UPSERT = [
  "INSERT INTO probe (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
];
const PATTERN = ["name ~ '^a'", "name LIKE 'a%'"];
const LIST_OF_TABLES = ["SELECT table_name FROM information_schema.tables"];
const LIST_OF_COLUMNS = [
  "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'probe'",
];

/** Functions of other databases, with PostgreSQL's equivalents. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  charindex: POSITION,
  curdate: ["CURRENT_DATE"],
  date_format: ["to_char(value, 'YYYY-MM-DD')"],
  date_sub: TIME_OFFSET,
  dateadd: TIME_OFFSET,
  datediff: DAYS_BETWEEN,
  datetime: [...NOW, "value + interval '1 day'", "to_char(value, 'YYYY-MM-DD HH24:MI:SS')"],
  day: ["extract(day FROM value)"],
  divide: ["a / b"],
  from_unixtime: ["to_timestamp(number)"],
  getdate: ["now()"],
  glob: PATTERN,
  group_concat: JOINED_TEXTS,
  hex: ["encode(convert_to(name, 'UTF8'), 'hex')"],
  hour: ["extract(hour FROM value)"],
  if: CASE,
  ifnull: ELSE_VALUE,
  iif: CASE,
  instr: POSITION,
  isnull: [...ELSE_VALUE, "a IS NULL"],
  json_extract: ["doc ->> 'key'", "doc #>> '{key, inner}'"],
  json_group_array: ["jsonb_agg(name)"],
  json_group_object: ["jsonb_object_agg(name, number)"],
  json_quote: ["to_jsonb(name)"],
  json_type: ["jsonb_typeof(doc)"],
  julianday: SECONDS.map((seconds) => `${seconds} / 86400`),
  last_insert_id: ["INSERT INTO probe (a) VALUES (3) RETURNING a"],
  last_insert_rowid: ["INSERT INTO probe (a) VALUES (3) RETURNING a"],
  lcase: ["lower(name)"],
  len: LENGTH,
  listagg: JOINED_TEXTS,
  median: ["percentile_cont(0.5) WITHIN GROUP (ORDER BY number)"],
  modulo: ["a % b"],
  month: ["extract(month FROM value)"],
  multiply: ["a * b"],
  newid: UUID,
  nvl: ELSE_VALUE,
  pragma_table_info: LIST_OF_COLUMNS,
  printf: ["format('%s', name)", "to_char(number, 'FM999990.00')"],
  quote: ["quote_literal(name)"],
  rand: ["random()"],
  randomblob: UUID,
  regexp: PATTERN,
  str_to_date: ["to_date('2026-01-31', 'YYYY-MM-DD')"],
  strftime: ["to_char(value, 'YYYY-MM-DD')", "extract(year FROM value)"],
  subtract: ["a - b"],
  substring_index: ["split_part(name, '-', 1)"],
  total: ["coalesce(sum(number), 0)"],
  typeof: ["pg_typeof(value)"],
  ucase: ["upper(name)"],
  unicode: ["ascii(name)"],
  unix_timestamp: SECONDS,
  unixepoch: SECONDS,
  uuid: UUID,
  year: PART_OF_TIME,
};

/**
 * PostgreSQL's equivalent of a function that it does not have.
 * @returns `undefined` for any other name, which may be a user-defined function.
 */
export function insteadOfFunction(name: string): readonly string[] | undefined {
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
}

/** Forms of other databases, with PostgreSQL's equivalents. */
export const POSTGRES_FORMS: readonly ForeignForm[] = [
  ...functionForms(FUNCTIONS),
  {
    form: "date with modifiers",
    refused: { code: NO_FUNCTION, words: ["date"] },
    instead: ["value::date", "CURRENT_DATE - 1", "date_trunc('month', value)"],
  },
  {
    form: "time as a function",
    pattern: /\b(?:time|timestamp)\s*\(\s*(?!\d+\s*\))/i,
    instead: ["value::time", "to_char(value, 'HH24:MI')"],
  },
  {
    form: "char as a function",
    pattern: /[(,=]\s*char\s*\(|\bselect\s+char\s*\(/i,
    instead: ["chr(65)"],
  },
  {
    form: "max of several values",
    refused: { code: NO_FUNCTION, words: ["max"], hasSeveralArguments: true },
    instead: ["greatest(a, b)"],
  },
  {
    form: "min of several values",
    refused: { code: NO_FUNCTION, words: ["min"], hasSeveralArguments: true },
    instead: ["least(a, b)"],
  },
  {
    form: "round of a double precision to digits",
    refused: { code: NO_FUNCTION, words: ["round"], hasSeveralArguments: true },
    instead: ["round(number::numeric, 2)"],
  },
  {
    form: "concatenation of these types",
    refused: { code: NO_OPERATOR, words: ["||"] },
    instead: ["a::text || b::text", "concat(a, b)"],
  },
  {
    form: "+ between values of these types",
    refused: { code: NO_OPERATOR, words: ["+"] },
    instead: ["name || part", "value + interval '1 day'"],
  },
  {
    form: "comparison of these types",
    refused: {
      code: NO_OPERATOR,
      words: ["=", "<>", "!=", "<", ">", "<=", ">=", "in", "not", "between"],
    },
    instead: ["name = a::text", "a::text = b::text"],
  },
  {
    form: "path into a text",
    refused: { code: NO_OPERATOR, words: ["->", "->>"] },
    instead: [`'{"key": 1}'::jsonb ->> 'key'`, "doc ->> 'key'"],
  },
  { form: "operator ==", refused: { code: NO_OPERATOR, words: ["=="] }, instead: ["a = b"] },
  { form: "operator =<", refused: { code: NO_OPERATOR, words: ["=<"] }, instead: ["a <= b"] },
  {
    form: "operator && between conditions",
    refused: { code: NO_OPERATOR, words: ["&&"] },
    instead: ["a > 1 AND b > 1"],
  },
  {
    form: "operator !",
    refused: { code: NO_OPERATOR, words: ["!"] },
    instead: ["NOT (a > b)"],
  },
  { form: "operator =>", pattern: /\bwhere\b[^()]*=>/i, instead: ["a >= b"] },
  {
    form: "rowid",
    refused: { code: NO_COLUMN, words: ["rowid", "_rowid_", "oid"] },
    instead: ["row_number() OVER ()"],
  },
  {
    form: "ROWNUM",
    refused: { code: NO_COLUMN, words: ["rownum"] },
    instead: ["LIMIT 5", "row_number() OVER ()"],
  },
  { form: "SYSDATE", refused: { code: NO_COLUMN, words: ["sysdate"] }, instead: NOW },
  {
    form: "table sqlite_schema",
    refused: { code: NO_TABLE, words: ["sqlite_master", "sqlite_schema"] },
    instead: LIST_OF_TABLES,
  },
  { form: "table DUAL", refused: { code: NO_TABLE, words: ["dual"] }, instead: ["SELECT 1"] },
  {
    form: "type of that name",
    refused: {
      code: NO_OBJECT,
      words: ["datetime", "blob", "double", "string", "nvarchar", "tinyint", "number", "clob"],
    },
    instead: [
      "value::timestamptz",
      "name::varchar(20)",
      "number::double precision",
      "a::smallint",
      "'ab'::bytea",
    ],
  },
  {
    form: "LIMIT with an offset before it",
    pattern: /\blimit\s+[\w$]+\s*,/i,
    instead: ["LIMIT 10 OFFSET 5"],
  },
  { form: "names in backticks", pattern: /`/, instead: ['"name"', "name"] },
  {
    form: "names in brackets",
    pattern: /(?:^|[\s,(.])\[\s*[a-z_][\w ]*\]/i,
    instead: ['"name"', "name"],
  },
  {
    form: "INSERT OR IGNORE",
    pattern: /\binsert\s+(?:or\s+)?ignore\b/i,
    instead: ["INSERT INTO probe (a) VALUES (1) ON CONFLICT DO NOTHING"],
  },
  {
    form: "INSERT OR REPLACE",
    pattern: /\binsert\s+or\s+(?:replace|rollback|abort|fail)\b|^\s*replace\b/i,
    instead: UPSERT,
  },
  {
    form: "UPDATE OR …",
    pattern: /\bupdate\s+or\s+\w+/i,
    instead: ["UPDATE probe SET b = 2 WHERE a = 1"],
  },
  { form: "ON DUPLICATE KEY", pattern: /\bon\s+duplicate\s+key\b/i, instead: UPSERT },
  {
    form: "AUTOINCREMENT",
    pattern: /\bauto_?increment\b/i,
    instead: ["CREATE TABLE made (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)"],
  },
  {
    form: "WITHOUT ROWID",
    pattern: /\bwithout\s+rowid\b/i,
    instead: ["CREATE TABLE made (id integer PRIMARY KEY)"],
  },
  { form: "GLOB", pattern: /\bglob\b/i, instead: ["name LIKE 'a%'", "name ~ '^a[0-9]'"] },
  { form: "REGEXP", pattern: /\b(?:regexp|rlike)\b/i, instead: PATTERN },
  {
    form: "MATCH",
    pattern: /\bmatch\s+'/i,
    instead: ["to_tsvector('simple', name) @@ plainto_tsquery('simple', 'word')"],
  },
  { form: "PRAGMA", pattern: /^\s*pragma\b/i, instead: LIST_OF_COLUMNS },
  {
    form: "DESCRIBE",
    pattern: /^\s*(?:describe|desc)\b/i,
    instead: LIST_OF_COLUMNS,
  },
  { form: "TOP", pattern: /\bselect\s+top\s*\(?\s*\d/i, instead: ["LIMIT 5"] },
  {
    form: "intervals without quotes",
    pattern: /\binterval\s+\d/i,
    instead: TIME_OFFSET,
  },
  { form: "SEPARATOR", pattern: /\bseparator\s*'/i, instead: JOINED_TEXTS },
  {
    form: "IS between values",
    pattern: /^(?!\s*comment\s+on\b).*\bis\s+(?:not\s+)?(?:[\d']|\w+\.)/is,
    instead: ["a IS NOT DISTINCT FROM b", "a IS DISTINCT FROM b"],
  },
  {
    form: "LIMIT in a statement that changes rows",
    pattern: /^\s*(?:delete|update)\b[^()]*\blimit\b/i,
    instead: ["DELETE FROM probe WHERE a IN (SELECT a FROM probe LIMIT 5)"],
  },
  {
    form: "MINUS",
    pattern: /\bminus\s+select\b/i,
    instead: ["SELECT a FROM probe EXCEPT SELECT b FROM probe"],
  },
];
