/** Characters that make a text look like something else than it is, each with its name. */
export const DECEPTIVE_CHARACTERS: readonly (readonly [name: string, character: string])[] = [
  ["an escape", "\u001b"],
  ["a bell", "\u0007"],
  ["a backspace", "\b"],
  ["a carriage return", "\r"],
  ["a null", "\u0000"],
  ["a delete", "\u007f"],
  ["an 8-bit CSI", "\u009b"],
  ["a next line", "\u0085"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
  ["a right-to-left override", "\u202e"],
  ["a pop of directional formatting", "\u202c"],
  ["a right-to-left isolate", "\u2067"],
  ["a pop of an isolate", "\u2069"],
  ["an Arabic letter mark", "\u061c"],
  ["a right-to-left mark", "\u200f"],
  ["a zero-width space", "\u200b"],
  ["a zero-width non-joiner", "\u200c"],
  ["a zero-width joiner", "\u200d"],
  ["a word joiner", "\u2060"],
  ["a byte order mark", "\ufeff"],
  ["a soft hyphen", "\u00ad"],
  ["a Hangul filler", "\u3164"],
  ["a tag letter", "\u{e0041}"],
  ["a supplementary variation selector", "\u{e0101}"],
];

/**
 * A text that would erase its line, turn its direction, hide itself and begin a line of its own,
 * without characters that a name may not have.
 */
export const DECEPTIVE_TEXT: string = DECEPTIVE_CHARACTERS.map(([, character]) => character)
  .filter((character) => character !== "\u0000")
  .join("x");

/** The deceptive characters that are left in a text. */
export function deceptionIn(text: string): readonly string[] {
  return DECEPTIVE_CHARACTERS.filter(([, character]) => text.includes(character)).map(
    ([name]) => name,
  );
}
