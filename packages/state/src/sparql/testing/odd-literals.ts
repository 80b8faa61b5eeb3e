import fc from "fast-check";
import { iri, type Literal, typed } from "../../index.js";

export const XSD = "http://www.w3.org/2001/XMLSchema#";

const WHOLE = [
  ...["integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger"],
  ...["unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "nonPositiveInteger"],
];

const sign = fc.constantFrom("", "", "-", "+");
const zeros = fc.constantFrom("", "", "0", "00");
const digits = fc.oneof(fc.nat(12), fc.nat(120), fc.nat(), fc.maxSafeNat()).map(String);
const whole = fc.tuple(sign, zeros, digits).map((parts) => parts.join(""));
const fraction = fc.tuple(fc.nat(99), zeros).map(([number, more]) => `.${number}${more}`);
const decimal = fc.tuple(whole, fc.option(fraction, { nil: "" })).map((parts) => parts.join(""));
const exponent = fc.constantFrom("", "", "e0", "E1", "E-2", "e+05");
const floating = fc.oneof(
  fc.tuple(decimal, exponent).map((parts) => parts.join("")),
  fc.constantFrom("INF", "-INF", "NaN"),
);
const two = (max: number): fc.Arbitrary<string> =>
  fc.integer({ min: 1, max }).map((number) => String(number).padStart(2, "0"));
const zone = fc.constantFrom("", "Z", "+00:00", "-00:00", "+01:00", "-14:00", "+05:30");
const day = fc
  .tuple(fc.constantFrom("0001", "1999", "2024", "12024", "-0044"), two(12), two(29))
  .map((parts) => parts.join("-"));
const hour = fc
  .tuple(two(24), two(59), two(59), fc.constantFrom("", "", ".0", ".5", ".50", ".123456789"))
  .map(([hours, minutes, seconds, rest]) => `${hours}:${minutes}:${seconds}${rest}`);
const duration = fc.constantFrom("P1Y", "P12M", "P1D", "PT24H", "PT60M", "P0Y", "-P1M", "PT0.50S");

/** Literals of every datatype of XML Schema, in forms that people write but programs would not. */
export const oddLiteral: fc.Arbitrary<Literal> = fc.oneof(
  of(WHOLE, whole),
  of(["decimal"], decimal),
  of(["double", "float"], floating),
  of(["boolean"], fc.constantFrom("true", "false", "1", "0")),
  of(
    ["dateTime", "dateTimeStamp"],
    fc.tuple(day, hour, zone).map(([a, b, c]) => `${a}T${b}${c}`),
  ),
  of(
    ["date"],
    fc.tuple(day, zone).map((parts) => parts.join("")),
  ),
  of(
    ["time"],
    fc.tuple(hour, zone).map((parts) => parts.join("")),
  ),
  of(["duration", "dayTimeDuration", "yearMonthDuration"], duration),
  of(
    ["gYear", "gYearMonth", "gMonthDay", "gDay", "gMonth"],
    fc.constantFrom("2024", "2024-01Z", "--01", "---31"),
  ),
  of(
    ["string", "anyURI", "token", "hexBinary", "integer", "dateTime", "boolean"],
    fc.string({ unit: "grapheme", maxLength: 5 }),
  ),
);

function of(names: readonly string[], lexical: fc.Arbitrary<string>): fc.Arbitrary<Literal> {
  return fc
    .tuple(fc.constantFrom(...names), lexical)
    .map(([name, form]) => typed(form, iri(XSD + name)));
}
