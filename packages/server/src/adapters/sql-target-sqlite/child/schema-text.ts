/** The word, where it does not call the function `replace`. It counts in comments and literals too. */
export const REPLACE: RegExp = /\breplace\b(?!\s*\()/i;

/**
 * The columns in the USING clauses of a text, in lower case. `any` when the columns are unknown, as
 * with NATURAL; `undefined` without such joins. Words in comments and literals count too, because
 * overestimating is safe.
 */
export function columnsJoined(sql: string): ReadonlySet<string> | "any" | undefined {
  if (/\bnatural\b/i.test(sql)) return "any";
  const all = sql.match(/\busing\b/gi) ?? [];
  if (all.length === 0) return undefined;
  const lists = [...sql.matchAll(USING)].map(([, list = ""]) => list);
  if (lists.length < all.length) return "any";
  const names = lists.flatMap((list) => list.split(","));
  return new Set(
    names.map((name) =>
      name
        .trim()
        .replaceAll(/^["`[]|["`\]]$/g, "")
        .toLowerCase(),
    ),
  );
}

/** A list of simple names, optionally quoted. */
const USING =
  /\busing\s*\(\s*((?:\w+|"\w+"|`\w+`|\[\w+\])(?:\s*,\s*(?:\w+|"\w+"|`\w+`|\[\w+\]))*)\s*\)/gi;

/**
 * All words of a text that could be names, in lower case. A name of several words is also found as
 * a whole.
 */
export function wordsOf(sql: string): { has(name: string): boolean } {
  const text = sql.toLowerCase();
  const words = new Set(text.match(/[\p{L}\p{N}_$]+/gu));
  return { has: (name) => words.has(name) || (!PLAIN.test(name) && text.includes(name)) };
}

const PLAIN = /^[\p{L}\p{N}_$]+$/u;

/** The expressions in a CREATE TABLE: those of its checks, and those of its generated columns. */
export function expressionsOf(definition: string): {
  readonly checks: readonly string[];
  readonly computed: readonly string[];
} {
  const found = { check: [] as string[], as: [] as string[] };
  const open: { readonly kind: "check" | "as" | undefined; readonly from: number }[] = [];
  let before = "";
  for (const { 0: token, index } of definition.matchAll(TOKENS)) {
    if (token === "(") {
      open.push({ kind: before === "check" || before === "as" ? before : undefined, from: index });
    } else if (token === ")") {
      const { kind, from } = open.pop() ?? {};
      if (kind !== undefined) found[kind].push(definition.slice(from, index));
    }
    if (!COMMENT.test(token)) before = token.toLowerCase();
  }
  return { checks: found.check, computed: found.as };
}

/** Literals, quoted names, comments, parentheses and words. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|[()]|[\p{L}\p{N}_$]+/gu;
const COMMENT = /^(?:--|\/\*)/;
