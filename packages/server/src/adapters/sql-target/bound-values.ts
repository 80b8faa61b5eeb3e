import type { SqlValue } from "../../plans/ports.js";

/** Shorter texts are not masked, because they occur in every message. */
const VALUE_LENGTH_MIN = 3;

/**
 * Removes bound values from an engine's message. Functions, casts and full-text queries quote the
 * values in their errors.
 */
export function withoutValues(message: string, binds: readonly SqlValue[]): string {
  const texts = binds.flatMap(textsOf);
  const unquoted = message.replace(/(["'])(.*?)\1/g, (quoted: string, _quote, inner: string) =>
    texts.some((text) => text.includes(inner)) ? "(a bound value)" : quoted,
  );
  return texts
    .filter((text) => text.length >= VALUE_LENGTH_MIN)
    .reduce((safe, text) => safe.replaceAll(text, "(a bound value)"), unquoted);
}

/** The texts in which an engine may quote a bound value. */
function textsOf(bind: SqlValue): readonly string[] {
  if (typeof bind === "string") return [bind];
  if (typeof bind !== "object" || bind === null || bind.text === null) return [];
  const { text } = bind;
  // The statement extracts the text from its JSON.
  if ("storage" in bind && bind.storage === "json" && text.startsWith('"')) {
    return [String(JSON.parse(text))];
  }
  return [text];
}
