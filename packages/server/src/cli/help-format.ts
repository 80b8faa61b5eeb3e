import type { Help } from "commander";
import stringWidth from "string-width";

/** Columns of help where standard output is no terminal. */
export const HELP_WIDTH_DEFAULT = 80;

/** Columns below which a description is not wrapped, for it would be a word in a line. */
export const HELP_WIDTH_MIN = 20;

/** Share of the width that terms may take; a longer term has its description on the next line. */
const TERM_SHARE = 0.4;

/** Columns before a term, and between a term and its description. */
const GAP = 2;

/**
 * One line, or more, of a list of help: a term and its description, which is wrapped beside it. Commander's own
 * format does not wrap at all where a long term leaves too little room.
 */
export function formatHelpItem(
  term: string,
  termWidth: number,
  description: string,
  help: Help,
): string {
  const margin = " ".repeat(GAP);
  if (description === "") return `${margin}${term}`;
  const width = help.helpWidth ?? HELP_WIDTH_DEFAULT;
  const column = Math.min(termWidth, Math.floor(width * TERM_SHARE));
  const indent = " ".repeat(GAP + column + GAP);
  const text = help.boxWrap(description, width - indent.length).replaceAll("\n", `\n${indent}`);
  const space = column - stringWidth(term);
  const between = space < 0 ? `\n${indent}` : " ".repeat(space + GAP);
  return `${margin}${term}${between}${text}`;
}
