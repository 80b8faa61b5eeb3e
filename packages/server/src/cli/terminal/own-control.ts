import { randomBytes } from "node:crypto";
import pc from "picocolors";
import { shownText } from "@steward/kernel/shown-text.js";

/**
 * Stands for the escape character in our own control sequences until they are written. Nobody else
 * can know it, so that texts of others can never contain a sequence that a terminal would obey.
 */
const OWN_ESCAPE = `[${randomBytes(16).toString("hex")}]`;

const NAMES = ["red", "green", "yellow", "cyan", "magenta", "dim", "bold"] as const;

/** Colour functions of one stream, which do nothing when colours are off. */
export type Colors = Readonly<Record<(typeof NAMES)[number], (text: string) => string>>;

/** @param isOn Whether the stream shows colours. */
export function colorsOf(isOn: boolean): Colors {
  const colors = pc.createColors(isOn);
  const own = (name: (typeof NAMES)[number]) => (text: string) =>
    isOn ? colors[name](shownText(text)).replaceAll("\u001b", OWN_ESCAPE) : text;
  // One function for each name.
  return Object.fromEntries(NAMES.map((name) => [name, own(name)])) as Colors;
}

/** One of our own control sequences (ECMA-48 §5.4), such as `[2K`. */
export function control(sequence: string): string {
  return `${OWN_ESCAPE}${sequence}`;
}

/** A text as it is written to a terminal: everything in it but our own sequences is harmless. */
export function written(text: string): string {
  return shownText(text.replaceAll("\r\n", "\n")).replaceAll(OWN_ESCAPE, "\u001b");
}
