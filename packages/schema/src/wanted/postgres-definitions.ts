import { isSign, isWord, type Token } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";
import { judgeSet, judgeSetConfig } from "./postgres-settings.js";
import { refusedFor, SKIPPED, type Verdict } from "./verdict.js";

/** Kinds of objects that belong to one PostgreSQL database and may be defined. */
const DEFINED = [
  ...["SCHEMA", "TABLE", "INDEX", "VIEW", "SEQUENCE", "TYPE", "DOMAIN", "FUNCTION", "PROCEDURE"],
  ...["ROUTINE", "TRIGGER", "POLICY", "EXTENSION", "COLUMN", "CONSTRAINT", "AGGREGATE", "OPERATOR"],
  ...["CAST", "RULE", "STATISTICS", "PUBLICATION", "COLLATION", "TEXT", "FOREIGN", "SERVER"],
  "DEFAULT",
];
const QUALIFIERS = [
  ...["OR", "REPLACE", "UNIQUE", "UNLOGGED", "RECURSIVE", "MATERIALIZED", "CONSTRAINT"],
];
/** Keywords between CREATE and the name of an unmanaged object. */
const UNMANAGED_QUALIFIERS = ["OR", "REPLACE", "TRUSTED", "PROCEDURAL", "DEFAULT"];
/** Kinds of unmanaged objects. Their definitions would run code, or connect to another server. */
const UNMANAGED: readonly (readonly string[])[] = [
  ...[["EVENT", "TRIGGER"], ["SUBSCRIPTION"], ["LANGUAGE"], ["CONVERSION"], ["TRANSFORM"]],
  ["ACCESS", "METHOD"],
];
/** Kinds of objects that are shared by all databases of a server. */
const SHARED = ["DATABASE", "ROLE", "USER", "GROUP", "TABLESPACE", "SYSTEM", "PARAMETER"];

const NO_DEFINITION = refusedFor("This defines nothing that a database holds.");
const OF_SERVER = refusedFor(
  "It concerns the whole server and all of its databases: run it there by hand (pg_dump without --create).",
);
const LARGE_OBJECT = refusedFor(
  "Large objects are data: write the schema with pg_dump --schema-only.",
);
const TABLE_AS = refusedFor(
  "CREATE TABLE … AS runs a query: write the columns that the table has.",
);
const TEMPORARY = refusedFor(
  "A temporary object is gone with its session, and no part of a schema.",
);
const WHOLE_SCHEMA = refusedFor("Write what the schema holds as statements of their own.");
const BOUND = refusedFor("A function in a partition's bound is run at once: write the value.");

/** Why a statement with this first keyword is refused. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...each(
    ["COPY", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "REFRESH", "VALUES", "TABLE"],
    "Rows are no part of a schema: write it with pg_dump --schema-only.",
  ),
  ...each(
    ["SELECT", "WITH"],
    "A schema needs no query, and where its sequences stand is data: write it with pg_dump --schema-only.",
  ),
  ...each(
    ["DO", "CALL", "EXECUTE", "PREPARE", "LOAD", "EXPLAIN"],
    "It runs code: write the definitions that the code would make.",
  ),
  ...each(
    ["DROP"],
    "What is not in a wanted schema is dropped, so nothing needs to be: leave it out (pg_dump without --clean).",
  ),
  ...each(
    ["SECURITY"],
    "Security labels are not managed: write the schema with pg_dump --no-security-labels.",
  ),
  ...each(["ROLLBACK"], "It ends a text whose writing has failed: write the text anew."),
]);

/** Decides what to do with a PostgreSQL statement. */
export function judgePostgres(text: string, tokens: readonly Token[]): Verdict {
  const reader = new TokenReader(tokens);
  const verb = reader.next().text.toUpperCase();
  switch (verb) {
    case "SET":
      return judgeSet(text, reader.rest());
    case "SELECT":
      return judgeSetConfig(tokens) ?? refusedVerb(verb);
    case "BEGIN":
    case "START":
    case "COMMIT":
    case "END":
      return SKIPPED;
    case "GRANT":
    case "REVOKE":
      return judgeGrant(text, reader);
    case "CREATE":
    case "ALTER":
    case "COMMENT":
      return judgeDefinition(verb, text, reader);
    case "DROP":
      // Every database has it from the start, so a wanted schema without it must drop it
      // explicitly.
      if (isPublicSchema(reader)) return { is: "definition", sql: text };
      return refusedVerb(verb);
    default:
      return refusedVerb(verb);
  }
}

function refusedVerb(verb: string): Verdict {
  const reason = REASONS.get(verb);
  return reason === undefined ? NO_DEFINITION : refusedFor(reason);
}

/** Decides what to do with a psql command. */
export function judgePsqlCommand(text: string): Verdict {
  if (/^\\(un)?restrict\s+[A-Za-z0-9]+$/.test(text)) return SKIPPED;
  if (/^\\c(onnect)?\b/.test(text)) {
    return refusedFor(
      "The data source is the database that is meant: use pg_dump without --create.",
    );
  }
  return refusedFor("Commands of psql are not run: write the definitions themselves.");
}

/** Makes CREATE MATERIALIZED VIEW skip its query; other statements stay unchanged. */
export function withoutData(text: string, tokens: readonly Token[]): string {
  const code = tokens.filter(({ type }) => type !== "comment");
  if (!isWord(code[0], "CREATE") || !isWord(code[1], "MATERIALIZED")) return text;
  const [beforeLast, last] = code.slice(-2);
  if (!isWord(last, "DATA")) return `${text} WITH NO DATA`;
  if (isWord(beforeLast, "NO")) return text;
  if (!isWord(beforeLast, "WITH") || beforeLast === undefined) return `${text} WITH NO DATA`;
  return `${text.slice(0, beforeLast.start - (code[0]?.start ?? 0))}WITH NO DATA`;
}

function judgeDefinition(
  verb: "CREATE" | "ALTER" | "COMMENT",
  text: string,
  reader: TokenReader,
): Verdict {
  const definition: Verdict = { is: "definition", sql: text };
  if (verb === "COMMENT") reader.takeWords("ON");
  if (reader.takeWords("USER", "MAPPING")) return SKIPPED;
  if (isWord(reader.peek(), ...SHARED)) return OF_SERVER;
  if (reader.takeWords("LARGE", "OBJECT")) return LARGE_OBJECT;
  if (isWord(reader.peek(), "GLOBAL", "LOCAL", "TEMP", "TEMPORARY")) return TEMPORARY;
  const unmanaged = judgeUnmanaged(verb, reader);
  if (unmanaged !== undefined) return unmanaged;
  while (isWord(reader.peek(), ...QUALIFIERS) && !isWord(reader.peek(1), "ON")) {
    if (isWord(reader.peek(), "CONSTRAINT") && !isWord(reader.peek(1), "TRIGGER")) break;
    reader.next();
  }
  const kind = reader.takeOneOf(...DEFINED);
  if (kind === undefined) return NO_DEFINITION;
  if (verb === "CREATE" && kind === "SCHEMA") return judgeSchema(definition, reader);
  if (kind !== "TABLE" && kind !== "FOREIGN") return definition;
  const rest = reader.rest();
  if (verb === "CREATE" && kind === "TABLE" && isTableAs(rest)) return TABLE_AS;
  return runsInBound(rest) ? BOUND : definition;
}

/** Skips the keywords of an unmanaged object; consumes nothing for other objects. */
function judgeUnmanaged(verb: string, reader: TokenReader): Verdict | undefined {
  let ahead = 0;
  while (isWord(reader.peek(ahead), ...UNMANAGED_QUALIFIERS)) ahead += 1;
  const words = UNMANAGED.find((all) =>
    all.every((word, index) => isWord(reader.peek(ahead + index), word)),
  );
  if (words === undefined) return undefined;
  if (verb !== "CREATE") return SKIPPED;
  for (let passed = 0; passed < ahead + words.length; passed++) reader.next();
  return { is: "unmanaged", sort: words.join(" ").toLowerCase(), name: nameOf(reader) };
}

/** A qualified name, as in the catalog. */
function nameOf(reader: TokenReader): string {
  const fold = ({ type, value }: Token): string => (type === "word" ? value.toLowerCase() : value);
  let name = fold(reader.next());
  while (reader.takeSign(".")) name += `.${fold(reader.next())}`;
  return name;
}

/** CREATE SCHEMA without elements. Every database has the schema public from the start. */
function judgeSchema(definition: Verdict, reader: TokenReader): Verdict {
  const isSaidTwice = !isWord(reader.peek(), "IF") && reader.peek()?.value === "public";
  reader.takeWords("IF", "NOT", "EXISTS");
  if (!isWord(reader.peek(), "AUTHORIZATION")) reader.next();
  const rest = reader.rest();
  if (rest.length === 0) return isSaidTwice ? SKIPPED : definition;
  const isOwned = rest.length === 2 && isWord(rest[0], "AUTHORIZATION");
  return isOwned ? definition : WHOLE_SCHEMA;
}

function isPublicSchema(reader: TokenReader): boolean {
  if (!reader.takeWords("SCHEMA")) return false;
  reader.takeWords("IF", "EXISTS");
  return reader.next().value === "public" && reader.isDone;
}

/** Whether a query fills the table. Only CREATE TABLE AS has an AS outside of parentheses. */
function isTableAs(tokens: readonly Token[]): boolean {
  return new TokenReader(tokens).until((token) => isWord(token, "AS")).length < tokens.length;
}

/**
 * Whether a partition's bound calls a function, which PostgreSQL evaluates when the partition is
 * created.
 */
function runsInBound(tokens: readonly Token[]): boolean {
  const reader = new TokenReader(tokens);
  reader.until((token) => isWord(token, "VALUES"));
  // A partition that has partitions itself names their key next.
  const bound = reader.until((token) => isWord(token, "PARTITION"));
  return bound.some((token, index) => {
    const isCalled = token.type === "name" || (token.type === "word" && !isBoundWord(token));
    return isCalled && isSign(bound[index + 1], "(") && !isCastTo(bound, index);
  });
}

function isBoundWord(token: Token): boolean {
  return isWord(token, "FROM", "TO", "IN", "WITH", "CAST", "ROW");
}

/**
 * Whether the word is the end of a type name in a cast: `::numeric(10,2)`, `::character
 * varying(20)`.
 */
function isCastTo(tokens: readonly Token[], index: number): boolean {
  let at = index;
  while (tokens[at]?.type === "word" || tokens[at]?.type === "name" || isSign(tokens[at], "."))
    at--;
  return isSign(tokens[at], "::");
}

function judgeGrant(text: string, reader: TokenReader): Verdict {
  reader.until((token) => isWord(token, "ON"));
  if (!reader.takeWords("ON")) {
    return refusedFor("Who is a member of a role concerns the whole server: run it there by hand.");
  }
  if (reader.takeWords("LARGE", "OBJECT")) return LARGE_OBJECT;
  if (isWord(reader.peek(), ...SHARED)) return OF_SERVER;
  return isWord(reader.peek(), "LANGUAGE") ? SKIPPED : { is: "definition", sql: text };
}

function each(words: readonly string[], reason: string): readonly (readonly [string, string])[] {
  return words.map((word) => [word, reason]);
}
