/** A piece of a statement with its class, for highlighting. */
export interface SqlToken {
  readonly kind: "keyword" | "text" | "number" | "comment" | "placeholder" | "plain";
  readonly text: string;
}

/** Longest statement that is coloured, in characters; a longer one is shown in one colour. */
const COLOURED_LENGTH_MAX = 50_000;

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*[^]*?(?:\*/|$))`,
    String.raw`(?<text>'(?:[^']|'')*'?)`,
    String.raw`(?<placeholder>\{\{.*?\}\}|\?\d+|\$\d+)`,
    String.raw`(?<number>\b\d[\d_.]*\b)`,
    String.raw`(?<word>[A-Za-z_][A-Za-z_0-9]*)`,
  ].join("|"),
  "g",
);

const KEYWORDS = new Set(
  (
    "add all alter and any as asc begin between by case cast check column commit constraint create cross " +
    "default delete desc distinct drop else end except exists false fetch first following for foreign from full " +
    "group having if ilike in index inner insert intersect into is join key lateral left like limit not null " +
    "nulls offset on or order outer over partition preceding primary recursive references returning right row " +
    "rows select set table then true union unique update using values view when where window with"
  ).split(" "),
);

/** Splits a statement for colouring. Its texts together are the statement, whatever it contains. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  if (sql.length > COLOURED_LENGTH_MAX) return [{ kind: "plain", text: sql }];
  const tokens: SqlToken[] = [];
  let end = 0;
  for (const match of sql.matchAll(TOKEN)) {
    if (match.index > end) tokens.push({ kind: "plain", text: sql.slice(end, match.index) });
    tokens.push({ kind: kindOf(match), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < sql.length) tokens.push({ kind: "plain", text: sql.slice(end) });
  return tokens;
}

function kindOf({ groups = {}, 0: text }: RegExpMatchArray): SqlToken["kind"] {
  for (const kind of ["comment", "text", "placeholder", "number"] as const) {
    if (groups[kind] !== undefined) return kind;
  }
  return KEYWORDS.has(text.toLowerCase()) ? "keyword" : "plain";
}
