/**
 * The columns by which a text joins tables with USING, in lower case; `any` where that cannot be told, as with NATURAL;
 * `undefined` when it joins none so. Words in comments and literals count too: more counts rather than less.
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

/** A list of plain names, quoted or not. */
const USING =
  /\busing\s*\(\s*((?:\w+|"\w+"|`\w+`|\[\w+\])(?:\s*,\s*(?:\w+|"\w+"|`\w+`|\[\w+\]))*)\s*\)/gi;

/** Every word of a text that could be a name, in lower case; a name of several words is there as itself. */
export function wordsOf(sql: string): { has(name: string): boolean } {
  const text = sql.toLowerCase();
  const words = new Set(text.match(/[\p{L}\p{N}_$]+/gu));
  return { has: (name) => words.has(name) || (!PLAIN.test(name) && text.includes(name)) };
}

const PLAIN = /^[\p{L}\p{N}_$]+$/u;
