/**
 * Characters that make a text look like something else than it is: control characters with the
 * escape sequences that they begin, the controls of bidirectional text, separators of lines, lone
 * surrogates, and whatever is invisible. The line feed and the tab stay, the two variation
 * selectors that choose how an emoji looks, and the joiner between two emojis.
 */
const DECEPTIVE =
  /(?!\n|\t|\ufe0e|\ufe0f)(?!(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d\p{Extended_Pictographic})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Most texts have only these characters, which are found much faster. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/**
 * A text of others as it can be shown to people and in a terminal: each deceptive character is
 * written as its code, as in `\u{202e}`, so that a reader sees that it is there.
 */
export function shownText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(DECEPTIVE, visibleCode);
}

/** A text of others as one line: line breaks and tabs are written as their codes, too. */
export function shownLine(text: string): string {
  return shownText(text).replace(/[\n\t]/g, visibleCode);
}

/** The same JSON, of the same value, without deceptive characters: they are escaped. */
export function shownJson(json: string): string {
  return PLAIN.test(json) ? json : json.replace(DECEPTIVE, escapedUnits);
}

function visibleCode(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** RFC 8259 §7: a character beyond U+FFFF is escaped as two surrogates. */
function escapedUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
