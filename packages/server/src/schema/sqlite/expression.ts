import { isSign, type Token } from "../sql-tokens.js";

/** Words that cannot name anything, so that their case says nothing. */
const RESERVED = new Set(
  (
    "ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT " +
    "DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX " +
    "INSERT INTERSECT INTO IS ISNULL JOIN LIMIT NOT NOTNULL NULL ON OR ORDER PRIMARY REFERENCES SELECT " +
    "SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE"
  ).split(" "),
);

/** Every keyword of SQLite: as a name, one of them needs quotes somewhere. */
const KEYWORDS = new Set(
  (
    "ABORT ACTION AFTER ALWAYS ANALYZE ASC ATTACH BEFORE BEGIN BY CASCADE CAST COLUMN CONFLICT CROSS " +
    "CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFERRED DESC DETACH DO EACH END " +
    "EXCLUDE EXCLUSIVE EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FULL GENERATED GLOB GROUPS IF IGNORE " +
    "IMMEDIATE INDEXED INITIALLY INNER INSTEAD KEY LAST LEFT LIKE MATCH MATERIALIZED NATURAL NO " +
    "NOTHING NULLS OF OFFSET OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING QUERY RAISE RANGE " +
    "RECURSIVE REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS " +
    "SAVEPOINT TEMP TEMPORARY TIES TRIGGER UNBOUNDED VACUUM VIEW VIRTUAL WINDOW WITH WITHOUT TRUE FALSE"
  )
    .split(" ")
    .concat([...RESERVED]),
);

/** A name as SQL has it: in quotes unless it is as plain as can be. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Tokens in one spelling: comments left out, needless quotes dropped, keywords in upper case. */
export function spell(tokens: readonly Token[]): string {
  let text = "";
  let previous: Token | undefined;
  for (const token of tokens) {
    if (token.type === "comment") continue;
    if (previous !== undefined && isSpaced(previous, token)) text += " ";
    text += spellOne(token);
    previous = token;
  }
  return text;
}

function spellOne(token: Token): string {
  if (token.type === "name") return isPlain(token.value) ? token.value : quoteName(token.value);
  const upper = token.text.toUpperCase();
  return token.type === "word" && RESERVED.has(upper) ? upper : token.text;
}

function isPlain(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name.toUpperCase());
}

function isSpaced(previous: Token, token: Token): boolean {
  if ([",", ")", ".", ";"].some((sign) => isSign(token, sign))) return false;
  if (["(", "."].some((sign) => isSign(previous, sign))) return false;
  if (!isSign(token, "(")) return true;
  return previous.type !== "word" || KEYWORDS.has(previous.text.toUpperCase());
}

/** Tokens with some names replaced, as after a rename; @param names New names by the old, lower-case. */
export function renameIn(
  tokens: readonly Token[],
  names: ReadonlyMap<string, string>,
): readonly Token[] {
  if (names.size === 0) return tokens;
  return tokens.map((token) => {
    if (token.type !== "word" && token.type !== "name") return token;
    const to = names.get(token.value.toLowerCase());
    return to === undefined ? token : { ...token, type: "name" as const, value: to };
  });
}

/** Every name that the tokens may mean, lower-case. */
export function namesIn(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.filter(({ type }) => type === "word" || type === "name");
  return new Set(names.map(({ value }) => value.toLowerCase()));
}
