import fc from "fast-check";
import { expect } from "vitest";
import type { Retyped } from "./retyped-column.js";

/** A type change of a column, with its values. */
export interface RandomRetyping {
  readonly from: string;
  readonly to: string;
  readonly values: readonly string[];
  readonly timeZone: string;
}

const INTEGERS = ["0", "1", "-1", "7", "32767", "-32768"];
const LARGE = ["2147483647", "16777217", "99999"];
const HUGE = ["9007199254740993", "9223372036854775807", "-9223372036854775808"];
const DECIMALS = ["1.25", "1.20", "0.1", "-0.05", "9999.99", "7.00"];
const FLOATS = [
  "0.1",
  "1.5",
  "3",
  "1e30",
  "0.30000000000000004",
  "NaN",
  "Infinity",
  "-0",
  "123456.7",
];
const WORDS = ["", " ", "a", "abc ", "abcdef", "007", "7", "1.50", "true", "yes", "sad", "calm"];
const TEXTS = [
  ...WORDS,
  "2024-01-02",
  "2024-01-02 03:04:05",
  '{"a":1}',
  '{"a": 1}',
  "\\x61",
  "Ünï",
];
const STAMPS = [
  "2024-01-02 00:00:00",
  "2024-01-02 03:04:05",
  "2024-03-31 02:30:00.678901",
  "infinity",
];
const CLOCKS = ["00:00:00", "03:04:05", "23:59:59.999999"];

/** Types with sample values. */
export const VALUES_OF_TYPES: Readonly<Record<string, readonly string[]>> = {
  smallint: INTEGERS,
  integer: [...INTEGERS, ...LARGE],
  bigint: [...INTEGERS, ...LARGE, ...HUGE],
  numeric: [...INTEGERS, ...HUGE, ...DECIMALS, "1e20", "NaN", "12345678901234567890.123"],
  "numeric(6,2)": ["1.25", "1.2", "9999.99", "-0.05", "7"],
  "numeric(8,0)": ["0", "99999999"],
  "numeric(4,-1)": ["10", "99990"],
  real: FLOATS,
  "double precision": [...FLOATS, "9007199254740993", "1e-300"],
  text: TEXTS,
  "character varying(5)": ["", "a", "abcde", "ab ", "007", "true"],
  "character varying(40)": [...WORDS, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  "character(5)": ["", "a", "abcde", "007"],
  name: ["a", "x".repeat(63)],
  boolean: ["true", "false"],
  date: ["2024-01-02", "0044-03-15 BC", "infinity"],
  "timestamp without time zone": STAMPS,
  "timestamp(0) without time zone": ["2024-01-02 03:04:05"],
  "timestamp with time zone": STAMPS,
  "time without time zone": CLOCKS,
  "time(0) without time zone": ["03:04:05"],
  "time with time zone": CLOCKS.map((clock) => `${clock}+02`),
  interval: ["1 mon", "1 day 00:00:01.5", "02:00:00"],
  "interval(0)": ["00:00:01"],
  "interval year to month": ["1 year 2 mons"],
  "bit(4)": ["1010", "0000"],
  "bit(8)": ["10100000", "00000001"],
  "bit varying(6)": ["", "1", "101010"],
  "bit varying": ["", "1", "1010101010"],
  json: ['{"a": 1}', '{"a":1,"a":2}', "7", '"x"'],
  jsonb: ['{"a": 1}', "7", '"x"'],
  uuid: ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  bytea: ["\\x61", "\\x00ff"],
  inet: ["10.0.0.1", "10.0.0.1/8"],
  cidr: ["10.0.0.0/8"],
  money: ["1.25"],
  "public.mood": ["sad", "happy"],
  "public.wide_mood": ["sad", "calm"],
  "public.price": ["1.25", "7.00"],
  "public.rough": ["1.2", "7.0"],
  "public.positive": ["1", "7"],
  "integer[]": ["{}", "{1,2}", "{16777217}"],
  "numeric(6,2)[]": ["{1.25}", "{1.20,7}"],
  "numeric(6,1)[]": ["{1.2}"],
  "text[]": ["{}", "{007,7}", "{a,b}"],
  "character varying(2)[]": ["{ab,c}"],
  "public.mood[]": ["{sad}"],
  int4range: ["[1,5)"],
  point: ["(1,2)"],
};

/** A random change between two types, with a few values. */
export const anyRetyping: fc.Arbitrary<RandomRetyping> = fc
  .tuple(
    fc.constantFrom(...Object.keys(VALUES_OF_TYPES)),
    fc.constantFrom(...Object.keys(VALUES_OF_TYPES)),
  )
  .filter(([from, to]) => from !== to)
  .chain(([from, to]) =>
    fc.record({
      from: fc.constant(from),
      to: fc.constant(to),
      values: fc.array(fc.constantFrom(...(VALUES_OF_TYPES[from] ?? [])), {
        minLength: 1,
        maxLength: 3,
      }),
      timeZone: fc.constantFrom("UTC", "UTC", "Europe/Berlin", "America/St_Johns"),
    }),
  );

/** Checks that the values have the same meaning, or were not changed. */
export function expectSameMeaning(
  { refusal, before, after }: Retyped,
  from: string,
  to: string,
): void {
  if (refusal !== undefined) expect(after).toEqual(before);
  else {
    const meant = (value: string): string => meaningOf(value, from, to);
    expect(after.map((value) => meaningOf(value, to, from))).toEqual(before.map(meant));
  }
}

/** Numbers that must be compared exactly with a float, not by its few printed digits. */
const EXACT = ["smallint", "integer", "bigint", "double precision"];

/** The meaning of a value, for comparison with a value of another type. */
function meaningOf(value: string, type: string, other: string): string {
  const types = [type, other];
  const text = types.some((each) => each.startsWith("character(")) ? value.trimEnd() : value;
  if (types.includes("timestamp with time zone")) return numberOrTime(instant(text));
  if (type === "real" && EXACT.includes(other)) {
    return numberOrTime(String(Math.fround(Number(text))));
  }
  if (types.some((each) => /^(text|name|char)/.test(each))) return text;
  return numberOrTime(type === "money" ? text.replaceAll(/[$,]/g, "") : text);
}

/** A time with an offset, converted to UTC. */
function instant(text: string): string {
  const [, day, clock, fraction = "", hours, minutes = "00"] =
    /^(\d{4}-\d\d-\d\d) ([\d:]{8})(\.\d+)?([+-]\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (day === undefined || clock === undefined || hours === undefined) return text;
  const utc = new Date(`${day}T${clock}${hours}:${minutes}`).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}${fraction}+00`;
}

function numberOrTime(text: string): string {
  if (/^[{[]/.test(text)) return text.replaceAll(/[-\d.]+/g, decimal);
  if (/^\d+-\d\d-\d\d/.test(text))
    return text.replace(/\+00$/, "").replace(/ 00:00:00( BC)?$/, "$1");
  if (/^\d\d:/.test(text)) return text.replace(/\+00$/, "");
  if (text === "true" || text === "false") return text === "true" ? "1" : "0";
  if (/^-?infinity$/i.test(text)) return text.toLowerCase();
  if (text.endsWith("/32")) return text.slice(0, -3);
  return /^-?[\d.]+(e[-+]?\d+)?$/i.test(text) ? decimal(text) : text;
}

/** A number in canonical form, without an exponent and superfluous zeros. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(power);
  const padded = digits.padStart(digits.length + Math.max(0, -point), "0");
  const at = Math.max(0, point);
  const left = padded.slice(0, at).padEnd(at, "0").replace(/^0+/, "");
  const right = padded.slice(at).replace(/0+$/, "");
  const plain = `${left === "" ? "0" : left}${right === "" ? "" : `.${right}`}`;
  return plain === "0" ? "0" : sign + plain;
}
