/** Columns of text before the first word that was looked for. */
const LEAD_LENGTH = 16;

/** Values nested this deep are shown as JSON. */
const DEPTH_MAX = 8;

/**
 * The part of an entry that a query found, for one line of a terminal: the member of the content that has most
 * of the query's words, from shortly before the first of them. Without any, which similarity alone may
 * find, it is the text of a note, or what a tool call was asked and gave.
 * @param content JSON text, as it was stored.
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

/** Members whose text says most of an entry that has no word of the query. */
const PREFERRED: ReadonlySet<string> = new Set(["note", "text", "output", "query"]);

/** A text in the content, and the name of the member that it is the value of. */
interface Text {
  readonly name: string;
  readonly text: string;
}

/** Every text and number in a value, in order; JSON text in a member counts as what it holds. */
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

/** The text from shortly before the first of these words; from its beginning when it has none. */
function from(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.min(...places) - LEAD_LENGTH;
  return places.length === 0 || start <= 0 ? text : `…${text.slice(start)}`;
}
