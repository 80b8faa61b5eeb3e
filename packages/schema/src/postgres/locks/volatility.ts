import { isSign, type Token, tokensOf } from "../../sql/sql-tokens.js";

/**
 * Built-in functions that are not volatile. PostgreSQL evaluates a default once, and rewrites no
 * rows, if all of its functions are such ones. A function that is not listed counts as volatile, so
 * that a migration never takes longer than announced. A test compares the list with `pg_proc`.
 */
export const STEADY_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["now", "transaction_timestamp", "statement_timestamp", "current_setting", "current_schema"],
  ...["date_trunc", "date_part", "make_date", "make_time", "make_interval", "make_timestamp"],
  ...["make_timestamptz", "timezone", "age", "to_timestamp", "to_date", "to_char", "to_number"],
  ...["to_json", "to_jsonb", "json_build_object", "jsonb_build_object", "json_build_array"],
  ...["jsonb_build_array", "jsonb_set", "json_object", "jsonb_object", "string_to_array"],
  ...["array_fill", "array_append", "array_cat", "array_to_string"],
  ...["lower", "upper", "initcap", "concat", "concat_ws", "format", "md5", "sha256", "length"],
  ...["char_length", "octet_length", "left", "right", "lpad", "rpad", "btrim", "ltrim", "rtrim"],
  ...["substr", "split_part", "replace", "regexp_replace", "translate", "repeat", "reverse", "chr"],
  ...["ascii", "to_hex", "encode", "decode", "convert_to", "convert_from", "quote_literal"],
  ...["abs", "sign", "round", "trunc", "floor", "ceil", "ceiling", "mod", "power", "sqrt", "exp"],
  ...["ln", "log", "pi", "div", "int4range", "int8range", "numrange", "daterange", "tsrange"],
  ...["tstzrange", "point", "box", "host", "to_tsvector", "to_tsquery"],
]);

/**
 * Words of PostgreSQL's grammar that may precede a parenthesis in an expression. None of them can
 * make an expression volatile by itself.
 */
const SYNTAX: ReadonlySet<string> = new Set([
  ...["coalesce", "nullif", "greatest", "least", "row", "array", "extract", "overlay", "position"],
  ...["substring", "trim", "from", "for", "in", "both", "leading", "trailing", "normalize"],
  ...["current_timestamp", "current_time", "localtimestamp", "localtime", "zone"],
  ...["case", "when", "then", "else", "and", "or", "not", "any", "all", "between", "like", "is"],
]);

/** Types with a length in parentheses. */
const TYPES: ReadonlySet<string> = new Set([
  ...["varying", "varchar", "character", "char", "bpchar", "bit", "varbit", "numeric", "decimal"],
  ...["timestamp", "timestamptz", "time", "timetz", "interval", "float"],
]);

/**
 * Whether a column's default may have a different value for each row, like `nextval` and `random`.
 * @param expression as `pg_get_expr` prints it under an empty search path: only names of
 * `pg_catalog` are without a schema.
 */
export function isVolatile(expression: string): boolean {
  const tokens = tokensOf(expression, "postgres").filter(({ type }) => type !== "comment");
  return tokens.some((token, index) => {
    if (token.type !== "word" && token.type !== "name") return false;
    if (isForeignCast(tokens, index)) return true;
    if (!isSign(tokens[index + 1], "(")) return false;
    const home = isSign(tokens[index - 1], ".") ? tokens[index - 2]?.value : "pg_catalog";
    if (home !== "pg_catalog") return true;
    const name = token.value.toLowerCase();
    const isSyntax = token.type === "word" && (SYNTAX.has(name) || TYPES.has(name));
    return !isSyntax && !STEADY_FUNCTIONS.has(name);
  });
}

/**
 * Whether an expression is cast to a user-defined type here, which may call a volatile function. A
 * cast of a literal, such as `'new'::public.mood`, calls the type's input function only.
 */
function isForeignCast(tokens: readonly Token[], index: number): boolean {
  if (!isSign(tokens[index + 1], ".")) return false;
  const [before, colon, other] = [tokens[index - 3], tokens[index - 2], tokens[index - 1]];
  const isCast = isSign(other, "::") || (isSign(colon, ":") && isSign(other, ":"));
  const operand = isSign(other, "::") ? colon : before;
  return isCast && isSign(operand, ")");
}
