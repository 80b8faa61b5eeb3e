import { isSign, isWord, type Token, tokensOf } from "./sql-tokens.js";
import { TokenReader } from "./token-reader.js";

/** A CREATE FUNCTION or CREATE PROCEDURE, divided at its body. */
export interface RoutineText {
  /** The name of its language, in lower case: `plpgsql`. */
  readonly language: string;
  /** The statement without its language and its body. */
  readonly head: string;
  /**
   * The language and the body. A body of the SQL standard (`RETURN …`, `BEGIN ATOMIC …`) has no
   * language clause of its own here, because it is always SQL.
   */
  readonly tail: string;
  /** Whether the body is parsed when the routine is created, as the SQL standard's are. */
  readonly isParsed: boolean;
  /** The type of one returned value; undefined for a procedure, for rows, and for output parameters. */
  readonly returned: string | undefined;
}

/** Languages whose functions are machine code. */
export const NATIVE_LANGUAGES: readonly string[] = ["c", "internal"];

/** Divides a statement of PostgreSQL; undefined when it creates neither a function nor a procedure. */
export function routineText(sql: string): RoutineText | undefined {
  if (!/\b(?:function|procedure)\b/i.test(sql)) return undefined;
  const tokens = tokensOf(sql, "postgres");
  const reader = new TokenReader(tokens);
  if (!reader.takeWords("CREATE")) return undefined;
  reader.takeWords("OR", "REPLACE");
  const kind = reader.takeOneOf("FUNCTION", "PROCEDURE");
  if (kind === undefined) return undefined;
  reader.until((token) => isSign(token, "("));
  const hasOutput = reader.parenthesized().some((token) => isWord(token, "OUT", "INOUT"));
  const returned = reader.takeWords("RETURNS") ? reader.until(isOption) : [];
  const isOne = !hasOutput && !isWord(returned[0], "SETOF", "TABLE", "VOID");
  const type = isOne && returned.length > 0 ? textOf(sql, returned) : undefined;
  return { ...divided(sql, reader), returned: type };
}

/** Divides what follows the parameters and the returned type. */
function divided(sql: string, reader: TokenReader): Omit<RoutineText, "returned"> {
  const first = reader.peek()?.start ?? sql.length;
  const head = [sql.slice(0, first).trimEnd()];
  const tail: string[] = [];
  let language = "sql";
  let isParsed = false;
  while (!reader.isDone && !isParsed) {
    const word = reader.next();
    if (isWord(word, "LANGUAGE")) {
      const name = reader.next();
      language = name.value.replaceAll("'", "").toLowerCase();
      tail.push(`LANGUAGE ${name.text}`);
    } else if (isWord(word, "AS")) {
      tail.push(textOf(sql, [word, ...body(reader)]));
    } else if (isWord(word, "RETURN") || isWord(word, "BEGIN")) {
      isParsed = true;
      tail.push(textOf(sql, [word, ...reader.rest()]));
    } else if (isWord(word, "SET")) {
      // A setting's value may be any word.
      head.push(textOf(sql, [word, reader.next(), reader.next(), reader.next()]));
    } else {
      head.push(word.text);
    }
  }
  return { language, isParsed, head: head.join(" "), tail: tail.join(" ") };
}

/** The one or two strings of AS. */
function body(reader: TokenReader): readonly Token[] {
  const text = [reader.next()];
  while (isSign(reader.peek(), ",")) text.push(reader.next(), reader.next());
  return text;
}

function isOption(token: Token): boolean {
  return isWord(token, ...OPTIONS);
}

/** The words that may follow the returned type. */
const OPTIONS = [
  ...["LANGUAGE", "TRANSFORM", "WINDOW", "IMMUTABLE", "STABLE", "VOLATILE", "NOT", "LEAKPROOF"],
  ...["CALLED", "RETURNS", "STRICT", "EXTERNAL", "SECURITY", "PARALLEL", "COST", "ROWS"],
  ...["SUPPORT", "SET", "AS", "RETURN", "BEGIN"],
];

function textOf(sql: string, tokens: readonly Token[]): string {
  const last = tokens.findLast(({ text }) => text !== "");
  const [first] = tokens;
  return first === undefined || last === undefined
    ? ""
    : sql.slice(first.start, last.start + last.text.length);
}
