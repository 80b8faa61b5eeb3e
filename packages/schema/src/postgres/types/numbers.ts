import type { Conversion } from "./conversions.js";
import type { ColumnType } from "./type-name.js";

/** Integer types, each with the most decimal digits that a value needs. */
export const INTEGERS: ReadonlyMap<string, number> = new Map([
  ["smallint", 5],
  ["integer", 10],
  ["bigint", 19],
]);
/**
 * Floating-point types, each with the bits of its significand: an integer of that many bits is
 * represented exactly.
 */
const FLOATS: ReadonlyMap<string, number> = new Map([
  ["real", 24],
  ["double precision", 53],
]);
const INTEGER_BITS: ReadonlyMap<string, number> = new Map([
  ["smallint", 15],
  ["integer", 31],
  ["bigint", 63],
]);

/** All numeric types that PostgreSQL casts to each other. */
export const NUMBERS: ReadonlySet<string> = new Set([
  ...INTEGERS.keys(),
  ...FLOATS.keys(),
  "numeric",
]);

const OUT_OF_RANGE: Conversion = {
  outcome: "refused",
  reason: "a number that is out of range stops the migration",
};

/** Conversions between integers, `numeric` and floating point. */
export function numberConversion(from: ColumnType, to: ColumnType): Conversion | undefined {
  if (!NUMBERS.has(from.name) || !NUMBERS.has(to.name)) return undefined;
  if (INTEGERS.has(from.name)) return fromInteger(from, to);
  if (from.name === "numeric") return fromNumeric(from, to);
  if (from.name === "real" && to.name === "double precision") {
    return { outcome: "kept", reason: "every real is a double precision number" };
  }
  return { outcome: "checked", reason: "floating-point numbers are rounded" };
}

function fromInteger({ name }: ColumnType, to: ColumnType): Conversion {
  const digits = INTEGERS.get(name) ?? Infinity;
  const into = INTEGERS.get(to.name);
  if (into !== undefined) {
    return into >= digits ? { outcome: "kept", reason: "every integer fits" } : OUT_OF_RANGE;
  }
  const significand = FLOATS.get(to.name);
  if (significand !== undefined) {
    return (INTEGER_BITS.get(name) ?? Infinity) <= significand
      ? { outcome: "kept", reason: "every integer is exact" }
      : { outcome: "checked", comparison: "integer", reason: "a large integer is rounded" };
  }
  const [precision = Infinity, scale = 0] = to.modifiers;
  if (scale < 0) return { outcome: "checked", reason: "it is rounded to tens or more" };
  return precision - scale >= digits
    ? { outcome: "kept", reason: "every integer fits" }
    : OUT_OF_RANGE;
}

function fromNumeric(from: ColumnType, to: ColumnType): Conversion {
  const [precision = Infinity, scale = 0] = from.modifiers;
  const isExact = from.modifiers.length > 0;
  if (FLOATS.has(to.name)) {
    return {
      outcome: "checked",
      comparison: "number",
      reason: "decimal digits are rounded to binary",
    };
  }
  if (to.name !== "numeric") {
    return isExact && scale <= 0
      ? OUT_OF_RANGE
      : { outcome: "checked", comparison: "number", reason: "decimal digits are rounded off" };
  }
  if (to.modifiers.length === 0) {
    return { outcome: "kept", reason: "numeric holds every number", isInPlace: true };
  }
  const [into = Infinity, places = 0] = to.modifiers;
  if (!isExact || places < scale) {
    return { outcome: "checked", comparison: "number", reason: "decimal digits are rounded off" };
  }
  if (into - places < precision - scale) return OUT_OF_RANGE;
  return { outcome: "kept", reason: "it has room for as many digits", isInPlace: places === scale };
}
