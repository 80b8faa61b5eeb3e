/** A name that JavaScript takes for an index: objects list it before all other names. */
const INDEX_NAME = /"\d+"\s*:/;
/** A string of a JSON text; with the colon behind it, the name of a member. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * `JSON.parse`, with objects whose members stay in the order of the text. JavaScript lists names such
 * as `2024` before all others, and in ascending order, which would move the columns of a row.
 */
export function parseOrdered(json: string): unknown {
  if (!INDEX_NAME.test(json)) return JSON.parse(json);
  // With a character before it, no name is an index while the text is parsed.
  const marked = json.replace(STRING, (text, colon) =>
    colon === undefined ? text : `"_${text.slice(1)}`,
  );
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? orderedObject(Object.entries(value).map(([name, inner]) => [name.slice(1), inner]))
      : value,
  );
}

/** `Object.fromEntries`, with an object that lists its members in the given order, also as JSON. */
export function orderedObject<Value>(
  entries: readonly (readonly [name: string, value: Value])[],
): Readonly<Record<string, Value>> {
  const names = [...new Map(entries).keys()];
  const object = Object.freeze(Object.fromEntries(entries));
  return new Proxy(object, { ownKeys: () => names });
}
