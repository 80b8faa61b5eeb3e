const XSD = "http://www.w3.org/2001/XMLSchema#";

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const FLOATING = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)$/;

/**
 * The numeric datatypes of XML Schema that sort by value. A type's place in this list, counted from
 * one, is its byte in a key: the list may grow at its end and must never change otherwise.
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

/** A number literal as a key holds it. */
export interface NumericLiteral {
  /** The datatype's byte. */
  readonly code: number;
  /** The nearest double; NaN sorts behind all others. */
  readonly value: number;
}

/** Reads a literal as a number; undefined when its type is no number or its form is ill-typed. */
export function numericLiteral(lexical: string, datatype: string): NumericLiteral | undefined {
  const code = codes.get(datatype);
  if (code === undefined || TYPES[code - 1]?.[1].test(lexical) !== true) return undefined;
  return { code, value: Number(lexical.replace("INF", "Infinity")) };
}

/** The datatype whose byte this is. */
export function numericDatatype(code: number): string | undefined {
  const type = TYPES[code - 1];
  return type === undefined ? undefined : XSD + type[0];
}
