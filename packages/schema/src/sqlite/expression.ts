import { isSign, type Token } from "../sql/sql-tokens.js";

/** Reserved words, which cannot be names, so their case does not matter. */
const RESERVED = new Set(
  (
    "ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT " +
    "DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX " +
    "INSERT INTERSECT INTO IS ISNULL JOIN LIMIT NOT NOTNULL NULL ON OR ORDER PRIMARY REFERENCES SELECT " +
    "SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE"
  ).split(" "),
);

/** All keywords of SQLite. A keyword used as a name needs quotes in some positions. */
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

/** An SQL name, quoted unless it is a plain identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Normalizes the spelling of tokens: without comments and needless quotes, keywords in upper case.
 */
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

/**
 * Renames identifiers in tokens.
 * @param names new names by old names in lower case.
 */
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

/** All identifiers in the tokens, in lower case. */
export function namesIn(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.filter(({ type }) => type === "word" || type === "name");
  return new Set(names.map(({ value }) => value.toLowerCase()));
}
