import { isSign, type Token } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";
import { refusedFor, SKIPPED, type Verdict } from "./verdict.js";

/**
 * Settings that affect the meaning of a definition. All other settings only concern the session.
 */
const MEANINGFUL: readonly string[] = [
  ...["search_path", "schema", "default_table_access_method", "default_toast_compression"],
  ...[
    "xmloption",
    "xml",
    "datestyle",
    "intervalstyle",
    "timezone",
    "time",
    "transform_null_equals",
  ],
];

const NOT_UTF8 = refusedFor(
  "The text is read as UTF-8, and this says that it is in another encoding: write it with pg_dump --encoding=UTF8.",
);
const OLD_STRINGS = refusedFor(
  "A backslash in a string is read as itself, as the standard has it: leave this setting on.",
);
const OTHER_ROLE = refusedFor(
  "What is defined belongs to the user that migrates: say another owner with ALTER … OWNER TO (pg_dump without --use-set-session-authorization).",
);
const LOCAL = refusedFor(
  "There is no transaction that this could last for: write SET without LOCAL.",
);

/**
 * Decides what to do with SET.
 * @param tokens the tokens after SET.
 */
export function judgeSet(sql: string, tokens: readonly Token[]): Verdict {
  const reader = new TokenReader(tokens);
  if (reader.takeOneOf("LOCAL") !== undefined) return LOCAL;
  const isSession = reader.takeOneOf("SESSION") !== undefined;
  if (isSession && reader.takeOneOf("CHARACTERISTICS") !== undefined) return SKIPPED;
  if (reader.takeOneOf("ROLE", "AUTHORIZATION") !== undefined) return OTHER_ROLE;
  const name = reader.next().value.toLowerCase();
  if (reader.takeOneOf("TO") === undefined) reader.takeSign("=");
  return judge(name, reader.rest(), sql);
}

/**
 * Decides what to do with SELECT. Only `SELECT pg_catalog.set_config('name', 'value', false)` is
 * accepted, which pg_dump writes first, and which is equivalent to SET.
 */
export function judgeSetConfig(tokens: readonly Token[]): Verdict | undefined {
  const reader = new TokenReader(tokens);
  reader.takeWords("SELECT");
  if (reader.takeWords("PG_CATALOG") && !reader.takeSign(".")) return undefined;
  if (!reader.takeWords("SET_CONFIG")) return undefined;
  const [name, firstComma, value, secondComma, isLocal, ...more] = reader.parenthesized();
  const isPlain =
    isPlainString(name) &&
    isSign(firstComma, ",") &&
    isPlainString(value) &&
    isSign(secondComma, ",") &&
    more.length === 0 &&
    reader.isDone;
  if (!isPlain || name === undefined || value === undefined) return undefined;
  if (isLocal?.text.toLowerCase() !== "false") return LOCAL;
  // Qualified, because a function of the wanted schema may have the same name.
  const sql = `SELECT pg_catalog.set_config(${name.text}, ${value.text}, false)`;
  return judge(name.text.slice(1, -1).toLowerCase(), [value], sql);
}

function judge(name: string, value: readonly Token[], sql: string): Verdict {
  const said = value[0]?.value.replaceAll("'", "").toLowerCase();
  const isOneOf = (...accepted: readonly (string | undefined)[]): boolean =>
    accepted.includes(said);
  if (name === "client_encoding" && !isOneOf("utf8", "utf-8", "unicode", "default")) {
    return NOT_UTF8;
  }
  if (name === "standard_conforming_strings" && !isOneOf("on", "true", "1", "default")) {
    return OLD_STRINGS;
  }
  return MEANINGFUL.includes(name) ? { is: "definition", sql } : SKIPPED;
}

function isPlainString(token: Token | undefined): boolean {
  return token?.type === "string";
}
