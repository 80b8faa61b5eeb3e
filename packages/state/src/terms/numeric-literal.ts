const XSD = "http://www.w3.org/2001/XMLSchema#";

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const FLOATING = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)$/;

/**
 * The XML Schema datatypes that sort by numeric value. A datatype's position in this list, counted
 * from one, is its byte in a key. New entries may only be appended.
 */
const TYPES: readonly (readonly [name: string, lexical: RegExp])[] = [
  ["integer", WHOLE],
  ["decimal", DECIMAL],
  ["double", FLOATING],
  ["float", FLOATING],
  ["long", WHOLE],
  ["int", WHOLE],
  ["short", WHOLE],
  ["byte", WHOLE],
  ["nonNegativeInteger", WHOLE],
  ["positiveInteger", WHOLE],
  ["nonPositiveInteger", WHOLE],
  ["negativeInteger", WHOLE],
  ["unsignedLong", WHOLE],
  ["unsignedInt", WHOLE],
  ["unsignedShort", WHOLE],
  ["unsignedByte", WHOLE],
];

const codes = new Map(TYPES.map(([name], index) => [XSD + name, index + 1]));

/** A numeric literal as stored in a key. */
export interface NumericLiteral {
  /** The datatype's byte. */
  readonly code: number;
  /** The nearest double; NaN sorts last. */
  readonly value: number;
}

/**
 * Parses a literal as a number; undefined when its datatype is not numeric or its form is invalid.
 */
export function numericLiteral(lexical: string, datatype: string): NumericLiteral | undefined {
  const code = codes.get(datatype);
  if (code === undefined || TYPES[code - 1]?.[1].test(lexical) !== true) return undefined;
  return { code, value: Number(lexical.replace("INF", "Infinity")) };
}

/** The datatype with this byte. */
export function numericDatatype(code: number): string | undefined {
  const type = TYPES[code - 1];
  return type === undefined ? undefined : XSD + type[0];
}
