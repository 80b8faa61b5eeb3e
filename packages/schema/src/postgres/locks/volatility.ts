import { isSign, tokensOf } from "../../sql/sql-tokens.js";

/**
 * Built-in functions that return the same value for every row of a statement. A column whose
 * default calls only these is added without rewriting the rows. Any other function counts as
 * volatile.
 */
const STEADY: ReadonlySet<string> = new Set([
  ...["now", "transaction_timestamp", "statement_timestamp", "current_timestamp", "current_date"],
  ...["localtimestamp", "localtime", "current_time", "current_setting", "current_schema"],
  ...["date_trunc", "make_date", "make_interval", "make_timestamp", "make_timestamptz", "timezone"],
  ...["to_timestamp", "to_date", "to_char", "to_json", "to_jsonb", "to_number", "age", "extract"],
  ...["json_build_object", "jsonb_build_object", "json_build_array", "jsonb_build_array"],
  ...["lower", "upper", "concat", "concat_ws", "format", "md5", "coalesce", "nullif", "length"],
  ...[
    "greatest",
    "least",
    "abs",
    "round",
    "floor",
    "ceil",
    "replace",
    "repeat",
    "encode",
    "decode",
  ],
  ...["row", "array", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"],
  ...["point", "box", "inet", "to_tsvector", "to_tsquery"],
]);

/** Types with a length in parentheses; these are no function calls. */
const TYPES: ReadonlySet<string> = new Set([
  ...["varying", "varchar", "character", "char", "bpchar", "bit", "varbit", "numeric", "decimal"],
  ...["timestamp", "timestamptz", "time", "timetz", "interval", "float"],
]);

/** Whether an expression may have a different value for each row, like `nextval` and `random`. */
export function isVolatile(expression: string): boolean {
  const tokens = tokensOf(expression, "postgres").filter(({ type }) => type !== "comment");
  return tokens.some(({ type, value }, index) => {
    const isCalled = (type === "word" || type === "name") && isSign(tokens[index + 1], "(");
    if (!isCalled) return false;
    const name = value.toLowerCase();
    const home = isSign(tokens[index - 1], ".") ? tokens[index - 2]?.value : "pg_catalog";
    return home !== "pg_catalog" || !(STEADY.has(name) || TYPES.has(name));
  });
}
