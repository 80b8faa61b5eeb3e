import { dateConversion } from "./dates.js";
import { INTEGERS, numberConversion, NUMBERS } from "./numbers.js";
import { lengthOf, TEXTS, textConversion } from "./texts.js";
import type { ColumnType } from "./type-name.js";

/**
 * The effect of a type change on a column's values. `kept`: every value stays the same. `refused`:
 * a value stays the same, or PostgreSQL stops the migration. `checked`: PostgreSQL may change a
 * value without an error, so the rows are checked first. `lost`: every value loses information, so
 * the caller must accept the change.
 */
export type Outcome = "kept" | "refused" | "checked" | "lost";

/**
 * How a value is compared with its converted value. `round trip`: cast back, it must have the same
 * bytes. `number`: cast back, it must be the same number. `integer`: it must be the same integer.
 * `text`: both must have the same text. `UTC`: the new value, read as a time in UTC, must equal the
 * old one.
 */
export type Comparison = "round trip" | "number" | "integer" | "text" | "UTC";

/** The effect of one type change. */
export interface Conversion {
  readonly outcome: Outcome;
  /** The reason, as a sentence without a full stop. */
  readonly reason: string;
  /**
   * How the check of the outcome `checked` compares values. Absent: each value is converted to the
   * new type and back, and must be unchanged.
   */
  readonly comparison?: Comparison;
  /** Whether PostgreSQL changes only the catalog and rewrites no row. */
  readonly isInPlace?: boolean;
}

/** Judges a conversion between types of one family; `undefined` for pairs outside the family. */
export type ConversionFamily = (from: ColumnType, to: ColumnType) => Conversion | undefined;

const UNPROVEN: Conversion = {
  outcome: "checked",
  reason: "some values may change",
};
const BITS: ReadonlySet<string> = new Set(["bit", "bit varying"]);
const FAMILIES: readonly ConversionFamily[] = [
  enumConversion,
  numberConversion,
  dateConversion,
  textConversion,
  bitConversion,
  jsonConversion,
  otherConversion,
];

/**
 * Judges a type change. An unknown pair is `checked`.
 * @param isReplaced whether the type is recreated under its name, so that equal names mean
 * different types.
 */
export function conversionOf(from: ColumnType, to: ColumnType, isReplaced = false): Conversion {
  const verdict = { ...verdictOn(from, to), ...(isReplaced ? { isInPlace: false } : {}) };
  if (verdict.outcome !== "kept" || !to.isConstrained) return verdict;
  const reason = "a value that the domain does not allow stops the migration";
  return { outcome: "refused", reason };
}

function verdictOn(from: ColumnType, to: ColumnType): Conversion {
  if (from.isArray !== to.isArray) {
    return TEXTS.has(to.name) ? { ...UNPROVEN, comparison: "text" } : UNPROVEN;
  }
  if (!from.isArray || from.text === to.text) return judged(from, to);
  const element = { ...judged(from, to), isInPlace: false };
  // Comparisons other than `round trip` and `text` do not apply to elements of arrays.
  if (element.outcome !== "checked") return element;
  if (element.comparison === "UTC") return { outcome: "lost", reason: element.reason };
  return element.comparison === "text" ? element : { ...element, comparison: "round trip" };
}

function judged(from: ColumnType, to: ColumnType): Conversion {
  // A user-defined type may have changed although it kept its name.
  if (from.text === to.text && !from.name.includes(".")) {
    return { outcome: "kept", reason: "the type is the same", isInPlace: true };
  }
  for (const family of FAMILIES) {
    const verdict = family(from, to);
    if (verdict !== undefined) return verdict;
  }
  return from.text === to.text ? { ...UNPROVEN, comparison: "text" } : UNPROVEN;
}

function enumConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (to.labels !== undefined) {
    const has = new Set(to.labels);
    const isCovered = from.labels?.every((label) => has.has(label)) ?? false;
    if (isCovered) return { outcome: "kept", reason: "the new enum has every label" };
    return {
      outcome: "refused",
      reason: "a value that is not a label of the enum stops the migration",
    };
  }
  if (from.labels === undefined || !TEXTS.has(to.name)) return undefined;
  const longest = Math.max(0, ...from.labels.map((label) => Buffer.byteLength(label)));
  if (longest <= lengthOf(to)) {
    return { outcome: "kept", reason: "a label is written as text" };
  }
  return { outcome: "checked", comparison: "text", reason: "a long label is truncated" };
}

/**
 * Bit strings are padded or truncated at the right end, so both must have the same digits. A number is none of
 * 0 and 1, even when it is cast from them.
 */
function bitConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (!BITS.has(from.name) && !BITS.has(to.name)) return undefined;
  if (NUMBERS.has(from.name) || NUMBERS.has(to.name)) {
    return {
      outcome: "checked",
      comparison: "text",
      reason: "bits and numbers are written differently",
    };
  }
  if (!BITS.has(from.name) || !BITS.has(to.name)) return undefined;
  const [had = Infinity] = from.modifiers;
  const [has = to.name === "bit" ? 1 : Infinity] = to.modifiers;
  if (to.name === "bit varying" && has >= had) {
    const isInPlace = from.name === to.name;
    return { outcome: "kept", reason: "it has room for as many bits", isInPlace };
  }
  const reason = "bits are truncated, or zeros are appended";
  return { outcome: "checked", comparison: "text", reason };
}

function jsonConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (from.name === "jsonb" && to.name === "json") {
    return { outcome: "kept", reason: "jsonb is written as json" };
  }
  if (from.name !== "json" || to.name !== "jsonb") return undefined;
  const reason =
    "jsonb keeps neither spaces nor the order of keys, and only the last of duplicate keys";
  return { outcome: "checked", comparison: "text", reason };
}

function otherConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (from.name === "boolean" && NUMBERS.has(to.name)) {
    // For example, numeric(4,-1) rounds 1 to 0.
    const outcome = to.modifiers.length === 0 ? "kept" : "checked";
    return { outcome, reason: "true is 1 and false is 0" };
  }
  if (to.name === "boolean" && INTEGERS.has(from.name)) {
    return { outcome: "refused", reason: "a number other than 0 and 1 stops the migration" };
  }
  if (from.name === "cidr" && to.name === "inet") {
    return { outcome: "kept", reason: "inet can hold every cidr value", isInPlace: true };
  }
  return undefined;
}
