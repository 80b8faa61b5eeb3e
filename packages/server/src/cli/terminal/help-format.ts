import type { Help } from "commander";
import stringWidth from "string-width";

/** Width of the help, in columns, when standard output is no terminal. */
export const HELP_WIDTH_DEFAULT = 80;

/**
 * Width in columns below which descriptions are not wrapped, because lines would hold one word
 * each.
 */
export const HELP_WIDTH_MIN = 20;

/**
 * Share of the width available for terms. The description of a longer term begins on the next line.
 */
const TERM_SHARE = 0.4;

/** Columns before a term, and between a term and its description. */
const GAP = 2;

/**
 * Formats an entry of the help: a term, and its description wrapped beside it. Commander's own
 * formatter does not wrap when a long term leaves little room.
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
