import { dateConversion } from "./dates.js";
import { INTEGERS, numberConversion, NUMBERS } from "./numbers.js";
import { lengthOf, TEXTS, textConversion } from "./texts.js";
import type { ColumnType } from "./type-name.js";

/**
 * What becomes of the values of a column whose type changes.
 * `kept`: every value stays what it is. `refused`: a value either stays what it is or stops the migration.
 * `checked`: a value may change without an error, so the rows are looked at first. `lost`: part of what a
 * value says goes in every case, so the change needs the caller's acceptance.
 */
export type Outcome = "kept" | "refused" | "checked" | "lost";

/**
 * How a value is compared with what it would become. `round trip`: cast to the new type and back, it must be
 * the same bytes. `number`: cast back, it must be the same number. `integer`: as an integer, it must be the same.
 * `text`: both must be written the same. `UTC`: the new value, read as a time of UTC, must be the old one.
 */
export type Comparison = "round trip" | "number" | "integer" | "text" | "UTC";

/** A verdict on one pair of types. */
export interface Conversion {
  readonly outcome: Outcome;
  /** Why, as a sentence without its full stop. */
  readonly reason: string;
  /** Of a conversion that is `checked`; a round trip where nothing is said. */
  readonly comparison?: Comparison;
  /** Whether the engine changes the catalog only and writes no row anew. */
  readonly isInPlace?: boolean;
}

/** What becomes of values of one type in a column that gets another; `undefined` for a pair it does not know. */
export type ConversionFamily = (from: ColumnType, to: ColumnType) => Conversion | undefined;

const UNPROVEN: Conversion = {
  outcome: "checked",
  reason: "nothing proves that every value survives",
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
 * Judges a change of type. A pair that nothing is known of is `checked`.
 * @param isReplaced Whether the type is made anew under its name, so that equal names are two types.
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
  // What is compared by a clock or by a number is not compared inside of an array.
  if (element.outcome !== "checked") return element;
  if (element.comparison === "UTC") return { outcome: "lost", reason: element.reason };
  return element.comparison === "text" ? element : { ...element, comparison: "round trip" };
}

function judged(from: ColumnType, to: ColumnType): Conversion {
  // Types that somebody has made may have kept their name only.
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
      reason: "a value that is no label of the enum stops the migration",
    };
  }
  if (from.labels === undefined || !TEXTS.has(to.name)) return undefined;
  const longest = Math.max(0, ...from.labels.map((label) => Buffer.byteLength(label)));
  if (longest <= lengthOf(to)) {
    return { outcome: "kept", reason: "a label is written as text" };
  }
  return { outcome: "checked", comparison: "text", reason: "a long label is cut off" };
}

/** A bit string is padded or cut at its right end, so the same digits are demanded. */
function bitConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (!BITS.has(from.name) || !BITS.has(to.name)) return undefined;
  const [had = Infinity] = from.modifiers;
  const [has = to.name === "bit" ? 1 : Infinity] = to.modifiers;
  if (to.name === "bit varying" && has >= had) {
    const isInPlace = from.name === to.name;
    return { outcome: "kept", reason: "it holds as many bits", isInPlace };
  }
  const reason = "bits are cut off, or zeros are added";
  return { outcome: "checked", comparison: "text", reason };
}

function jsonConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (from.name === "jsonb" && to.name === "json") {
    return { outcome: "kept", reason: "jsonb is written as json" };
  }
  if (from.name !== "json" || to.name !== "jsonb") return undefined;
  const reason = "jsonb keeps neither spaces nor the order of keys, and one of equal keys";
  return { outcome: "checked", comparison: "text", reason };
}

function otherConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (from.name === "boolean" && NUMBERS.has(to.name)) {
    // numeric(4,-1) rounds 1 to 0.
    const outcome = to.modifiers.length === 0 ? "kept" : "checked";
    return { outcome, reason: "true is 1 and false is 0" };
  }
  if (to.name === "boolean" && INTEGERS.has(from.name)) {
    return { outcome: "refused", reason: "a number other than 0 and 1 stops the migration" };
  }
  if (from.name === "cidr" && to.name === "inet") {
    return { outcome: "kept", reason: "every network is an address", isInPlace: true };
  }
  return undefined;
}
