import type { Conversion } from "./conversions.js";
import { INTEGERS } from "./numbers.js";
import type { ColumnType } from "./type-name.js";

/** Types that store text unchanged. */
export const TEXTS: ReadonlySet<string> = new Set([
  "text",
  "character varying",
  "character",
  "name",
]);

/** Types whose text representation identifies the value, each with the longest text. */
const WRITTEN: ReadonlyMap<string, number> = new Map([
  ...[...INTEGERS].map(([name, digits]) => [name, digits + 1] as const),
  ["boolean", 5],
  ["uuid", 36],
  ["numeric", Infinity],
  ["json", Infinity],
  ["jsonb", Infinity],
]);

/** Conversions from text, to text, and between texts of different lengths. */
export function textConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (TEXTS.has(from.name)) return TEXTS.has(to.name) ? ofLength(from, to) : fromText(to);
  if (!TEXTS.has(to.name)) return undefined;
  const length = WRITTEN.get(from.name) ?? NaN;
  if (length <= lengthOf(to) && to.name !== "name") {
    return { outcome: "kept", reason: "the text identifies every value" };
  }
  const reason =
    lengthOf(to) === Infinity ? "a value is written as text" : "a long text is truncated";
  return { outcome: "checked", comparison: "text", reason };
}

/** The longest text that a type can store, in characters. */
export function lengthOf({ name, modifiers }: ColumnType): number {
  // The limit is in bytes, which are at least as many as characters.
  if (name === "name") return 63;
  // `character` without a length stores one character.
  return modifiers[0] ?? (name === "character" ? 1 : Infinity);
}

function ofLength(from: ColumnType, to: ColumnType): Conversion {
  // Trailing spaces are insignificant in `character`, but significant in every other type.
  const isPadded = to.name === "character" && from.name !== "character";
  if (lengthOf(to) >= lengthOf(from) && !isPadded && to.name !== "name") {
    const isInPlace = [from, to].every(({ name }) => name !== "character" && name !== "name");
    return { outcome: "kept", reason: "it has room for as many characters", isInPlace };
  }
  const reason = isPadded
    ? "trailing spaces are removed, and a long text is truncated"
    : "a long text is truncated";
  return { outcome: "checked", comparison: "text", reason };
}

function fromText({ name }: ColumnType): Conversion {
  if (name === "json") {
    return { outcome: "refused", reason: "a text that is not JSON stops the migration" };
  }
  return { outcome: "checked", comparison: "text", reason: "a value may be written differently" };
}
