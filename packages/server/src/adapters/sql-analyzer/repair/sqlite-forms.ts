import { functionForms, type ForeignForm } from "./foreign-form.js";

const LENGTH = ["length(name)"];
const POSITION = ["instr(name, part)"];
const PART_OF_TIME = ["CAST(strftime('%Y', value) AS INTEGER)", "strftime('%m', value)"];
const TIME_OFFSET = ["date(value, '+1 day')", "datetime('now', '-1 month')"];
const DAYS_BETWEEN = ["julianday('now') - julianday(value)"];
const ARRAY_OF = ["json_group_array(name)"];
const OBJECT_OF = ["json_object('name', name)"];
const ELEMENTS = ["SELECT value FROM json_each('[1, 2]')"];
const UUID = ["lower(hex(randomblob(16)))"];
const DEVIATION = ["sqrt(max(0, avg(number * number) - avg(number) * avg(number)))"];
const PATTERN = ["name LIKE 'a%'", "name GLOB 'a[0-9]*'"];
const UPSERT = [
  "INSERT INTO probe (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
];

/** Functions of other databases, with SQLite's equivalents. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  age: DAYS_BETWEEN,
  array_agg: ARRAY_OF,
  array_length: ["json_array_length('[1, 2]')"],
  ascii: ["unicode(name)"],
  bool_and: ["min(a > 0)"],
  bool_or: ["max(a > 0)"],
  btrim: ["trim(name)"],
  cardinality: ["json_array_length('[1, 2]')"],
  cbrt: ["pow(number, 1.0 / 3)"],
  char_length: LENGTH,
  character_length: LENGTH,
  charindex: POSITION,
  chr: ["char(65)"],
  convert: ["CAST(number AS TEXT)"],
  curdate: ["date('now')"],
  current_database: ["SELECT name FROM sqlite_schema WHERE type = 'table'"],
  date_add: TIME_OFFSET,
  date_format: ["strftime('%Y-%m-%d', value)"],
  date_part: PART_OF_TIME,
  date_sub: TIME_OFFSET,
  date_trunc: ["strftime('%Y-%m-01', value)", "date(value)"],
  dateadd: TIME_OFFSET,
  datediff: DAYS_BETWEEN,
  day: ["CAST(strftime('%d', value) AS INTEGER)"],
  divide: ["a / b", "a * 1.0 / b"],
  every: ["min(a > 0)"],
  extract: PART_OF_TIME,
  from_unixtime: ["datetime(number, 'unixepoch')"],
  gen_random_uuid: UUID,
  generate_series: [
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n",
  ],
  getdate: ["datetime('now')"],
  greatest: ["max(a, b)"],
  hour: ["CAST(strftime('%H', value) AS INTEGER)"],
  initcap: ["upper(substr(name, 1, 1)) || lower(substr(name, 2))"],
  isnull: ["coalesce(a, b)", "a IS NULL"],
  json_agg: ARRAY_OF,
  json_array_elements: ELEMENTS,
  json_build_object: OBJECT_OF,
  json_object_agg: ["json_group_object(name, number)"],
  jsonb_agg: ARRAY_OF,
  jsonb_array_elements: ELEMENTS,
  jsonb_build_object: OBJECT_OF,
  last_insert_id: ["last_insert_rowid()"],
  lcase: ["lower(name)"],
  least: ["min(a, b)"],
  left: ["substr(name, 1, 3)"],
  len: LENGTH,
  lpad: ["printf('%05d', a)", "substr('00000' || name, -5)"],
  make_date: ["printf('%04d-%02d-%02d', 2026, 1, 31)"],
  modulo: ["a % b"],
  month: ["CAST(strftime('%m', value) AS INTEGER)"],
  multiply: ["a * b"],
  newid: UUID,
  now: ["datetime('now')", "CURRENT_TIMESTAMP"],
  nvl: ["coalesce(a, b)"],
  pg_typeof: ["typeof(value)"],
  position: POSITION,
  rand: ["abs(random() % 100)"],
  regexp_like: PATTERN,
  regexp_match: PATTERN,
  regexp_matches: PATTERN,
  regexp_replace: ["replace(name, 'a', 'b')"],
  repeat: ["replace(printf('%5s', ''), ' ', name)"],
  right: ["substr(name, -3)"],
  row_to_json: OBJECT_OF,
  rpad: ["substr(name || '     ', 1, 5)"],
  split_part: ["substr(name, 1, instr(name, '-') - 1)", "substr(name, instr(name, '-') + 1)"],
  stddev: DEVIATION,
  stddev_pop: DEVIATION,
  stddev_samp: DEVIATION,
  str_to_date: ["date('2026-01-31')"],
  strpos: POSITION,
  subtract: ["a - b"],
  to_char: ["strftime('%Y-%m-%d', value)", "printf('%.2f', number)"],
  to_date: ["date('2026-01-31')"],
  to_json: OBJECT_OF,
  to_jsonb: OBJECT_OF,
  to_number: ["CAST(name AS REAL)"],
  to_timestamp: ["datetime(number, 'unixepoch')", "datetime('2026-01-31 12:00')"],
  ucase: ["upper(name)"],
  unix_timestamp: ["unixepoch(value)"],
  unnest: ELEMENTS,
  uuid_generate_v4: UUID,
  var_pop: ["avg(number * number) - avg(number) * avg(number)"],
  variance: ["avg(number * number) - avg(number) * avg(number)"],
  year: ["CAST(strftime('%Y', value) AS INTEGER)"],
};

const LIST_OF_TABLES = ["SELECT name FROM sqlite_schema WHERE type = 'table'"];
const LIST_OF_COLUMNS = ["SELECT name, type FROM pragma_table_info('probe')"];

/** Forms of other databases, with SQLite's equivalents. */
export const SQLITE_FORMS: readonly ForeignForm[] = [
  ...functionForms(FUNCTIONS),
  {
    form: "double-colon cast",
    pattern: /::/,
    instead: ["CAST(number AS INTEGER)", "CAST(a AS TEXT)"],
  },
  { form: "ILIKE", pattern: /\bilike\b/i, instead: ["name LIKE 'a%'", "lower(name) LIKE 'a%'"] },
  { form: "SIMILAR TO", pattern: /\bsimilar\s+to\b/i, instead: PATTERN },
  { form: "~ between texts", pattern: /[\w)\]"']\s*!?~\*?\s*'/, instead: PATTERN },
  { form: "REGEXP", pattern: /\b(?:regexp|rlike)\b/i, instead: PATTERN },
  {
    form: "intervals",
    pattern: /\binterval\s*['\d]/i,
    instead: ["datetime(value, '-1 day')", "date('now', '+1 month')"],
  },
  {
    form: "literals such as date '2026-01-31'",
    pattern: /\b(?:date|timestamp|timestamptz|time)\s*'/i,
    instead: ["date('2026-01-31')", "'2026-01-31 12:00:00'"],
  },
  {
    form: "digits after CURRENT_TIMESTAMP",
    pattern: /\bcurrent_(?:date|time|timestamp)\s*\(/i,
    instead: ["CURRENT_TIMESTAMP", "CURRENT_DATE"],
  },
  {
    form: "AT TIME ZONE",
    pattern: /\bat\s+time\s+zone\b/i,
    instead: ["datetime(value, '+02:00')", "datetime(value, 'localtime')"],
  },
  {
    form: "DISTINCT ON",
    pattern: /\bdistinct\s+on\b/i,
    instead: [
      "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY a ORDER BY b) AS place FROM probe) WHERE place = 1",
    ],
  },
  { form: "FETCH FIRST", pattern: /\bfetch\s+(?:first|next)\b/i, instead: ["LIMIT 5"] },
  { form: "TOP", pattern: /\bselect\s+top\s*\(?\s*\d/i, instead: ["LIMIT 5"] },
  { form: "LIMIT ALL", pattern: /\blimit\s+all\b/i, instead: ["LIMIT -1"] },
  {
    form: "row locks",
    pattern: /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b/i,
    instead: ["SELECT a FROM probe"],
  },
  { form: "arrays", pattern: /\barray\s*\[/i, instead: ["json_array(1, 2)"] },
  { form: "= ANY", pattern: /[=<>]\s*(?:any|some|all)\s*\(/i, instead: ["a IN (1, 2)"] },
  { form: "texts with escapes", pattern: /\be'/i, instead: ["'text' || char(10)"] },
  {
    form: "LATERAL",
    pattern: /\blateral\b/i,
    instead: ["(SELECT max(p.b) FROM probe p WHERE p.a = probe.a)"],
  },
  {
    form: "SUBSTRING … FROM … FOR",
    pattern: /\bsubstring\s*\([^()]*\bfrom\b/i,
    instead: ["substr(name, 1, 2)"],
  },
  {
    form: "TRIM … FROM",
    pattern: /\btrim\s*\((?:\s*(?:both|leading|trailing)\b|[^()]*\bfrom\b)/i,
    instead: ["trim(name, 'x')", "ltrim(name)", "rtrim(name)"],
  },
  {
    form: "DISTINCT over several columns in an aggregate",
    pattern: /\bcount\s*\(\s*distinct\s+[^(),]+,/i,
    instead: ["SELECT count(*) FROM (SELECT DISTINCT a, b FROM probe)"],
  },
  {
    form: "ROLLUP, CUBE or GROUPING SETS",
    pattern: /\b(?:rollup|cube|grouping\s+sets)\s*\(/i,
    instead: ["SELECT a, sum(b) FROM probe GROUP BY a UNION ALL SELECT NULL, sum(b) FROM probe"],
  },
  {
    form: "column names after the alias of a query",
    pattern: /\)\s*\)\s*as\s+\w+\s*\(/i,
    instead: ["WITH v (a, b) AS (VALUES (1, 2)) SELECT * FROM v"],
  },
  { form: "TABLESAMPLE", pattern: /\btablesample\b/i, instead: ["ORDER BY random() LIMIT 10"] },
  {
    form: "MINUS",
    pattern: /\bminus\s+select\b/i,
    instead: ["SELECT a FROM probe EXCEPT SELECT b FROM probe"],
  },
  { form: "operator =<", pattern: /=</, instead: ["a <= b"] },
  { form: "operator =>", pattern: /=>/, instead: ["a >= b"] },
  { form: "operator &&", pattern: /&&/, instead: ["a > 1 AND b > 1"] },
  { form: "operator !", pattern: /!(?!=)/, instead: ["NOT (a > b)"] },
  {
    form: "TRUNCATE",
    pattern: /^\s*truncate\b/i,
    instead: ["DELETE FROM probe"],
  },
  {
    form: "default that calls a function without parentheses around it",
    pattern: /\bdefault\s+[a-z_]\w*\s*\(/i,
    instead: [
      "CREATE TABLE made (at TEXT DEFAULT CURRENT_TIMESTAMP)",
      "CREATE TABLE made (at TEXT DEFAULT (date('now')))",
    ],
  },
  {
    form: "AUTO_INCREMENT",
    pattern: /\b(?:auto_increment|identity)\b/i,
    instead: ["CREATE TABLE made (id INTEGER PRIMARY KEY)"],
  },
  {
    form: "ALTER COLUMN",
    pattern: /\b(?:alter|modify)\s+(?:column\s+)?\w+\s+(?:set|drop|type)\b/i,
    instead: ["ALTER TABLE probe ADD COLUMN c TEXT", "ALTER TABLE probe RENAME COLUMN b TO c"],
  },
  {
    form: "CREATE OR REPLACE",
    pattern: /\bcreate\s+or\s+replace\b/i,
    instead: ["DROP VIEW IF EXISTS made", "CREATE VIEW IF NOT EXISTS made AS SELECT a FROM probe"],
  },
  { form: "ON DUPLICATE KEY", pattern: /\bon\s+duplicate\s+key\b/i, instead: UPSERT },
  { form: "MERGE", pattern: /^\s*merge\b/i, instead: UPSERT },
  {
    form: "INSERT IGNORE",
    pattern: /\binsert\s+ignore\b/i,
    instead: ["INSERT OR IGNORE INTO probe (a) VALUES (1)"],
  },
  {
    form: "DELETE … USING",
    pattern: /^\s*delete\b[^]*\busing\b/i,
    instead: ["DELETE FROM probe WHERE a IN (SELECT b FROM probe)"],
  },
  {
    form: "tables of that catalog",
    pattern: /\binformation_schema\b|\bpg_(?:catalog|class|tables)\b|^\s*show\s+tables/i,
    instead: [...LIST_OF_TABLES, ...LIST_OF_COLUMNS],
  },
  { form: "DESCRIBE", pattern: /^\s*(?:describe|desc|show)\b/i, instead: LIST_OF_COLUMNS },
];
