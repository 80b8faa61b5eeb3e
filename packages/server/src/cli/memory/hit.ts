/** Characters shown before the first matching word. */
const LEAD_LENGTH = 16;

/** Values nested more deeply are shown as JSON. */
const DEPTH_MAX = 8;

/**
 * The excerpt of an entry that a query matched, for one line of a terminal. It is the member of the
 * content with the most words of the query, beginning shortly before the first of them. If no word
 * matches, because the entry was found by similarity alone, it is the text of a note, or the input
 * and output of a tool call.
 * @param content the stored JSON text.
 */
export function hitOf(content: string, query: string): string {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
  const texts = textsOf(parsed(content), "", 0);
  let best: Text = texts.find(({ name }) => PREFERRED.has(name)) ??
    texts[0] ?? { name: "", text: content };
  let most = 0;
  for (const candidate of texts) {
    const lower = candidate.text.toLowerCase();
    const count = words.filter((word) => lower.includes(word)).length;
    if (count > most) [best, most] = [candidate, count];
  }
  const label = best.name === "" ? "" : `${best.name}: `;
  return `${label}${from(best.text, words)}`;
}

/** Members that describe an entry best when no word of the query matches. */
const PREFERRED: ReadonlySet<string> = new Set(["note", "text", "output", "query"]);

/** A text in the content, and the name of its member. */
interface Text {
  readonly name: string;
  readonly text: string;
}

/** All texts and numbers in a value, in order. A member with JSON text is parsed. */
function textsOf(value: unknown, name: string, depth: number): readonly Text[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") {
    const inner = /^\s*[[{]/.test(value) ? parsed(value) : value;
    return typeof inner === "string" ? [{ name, text: inner }] : textsOf(inner, name, depth);
  }
  if (typeof value !== "object") return [{ name, text: JSON.stringify(value) }];
  if (depth === DEPTH_MAX) return [{ name, text: JSON.stringify(value) }];
  const members = Array.isArray(value)
    ? value.map((item): readonly [string, unknown] => [name, item])
    : Object.entries(value);
  return members.flatMap(([key, member]) => textsOf(member, key, depth + 1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The text from shortly before the first matching word; from the beginning when none matches. */
function from(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.min(...places) - LEAD_LENGTH;
  return places.length === 0 || start <= 0 ? text : `…${text.slice(start)}`;
}
