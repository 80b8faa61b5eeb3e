import type { TermLike } from "../../index.js";
import type { JsonTerm } from "../../ports.js";

const XSD = "http://www.w3.org/2001/XMLSchema#";

/**
 * Prefix of private datatypes. The engine normalizes numbers, times and booleans, so that "01"
 * becomes "1". It preserves literals with an unknown datatype, so literals that it would change are
 * stored with a private datatype.
 */
const PRIVATE = "urn:x-steward:as-written:";

/**
 * Lexical forms that the engine preserves, by datatype; all others get a private datatype. A
 * missing form only costs time.
 */
const KEPT_FORMS: Readonly<Record<string, RegExp>> = {
  string: /^/,
  anyURI: /^/,
  normalizedString: /^/,
  token: /^/,
  boolean: /^(?:true|false)$/,
  integer: /^(?:0|-?[1-9]\d{0,17})$/,
  decimal: /^(?!-0$)-?(?:0|[1-9]\d{0,11})(?:\.\d{0,5}[1-9])?$/,
  double: /^(?!-0$)-?(?:0|[1-9]\d{0,8})(?:\.\d{0,4}[1-9])?$/,
  float: /^(?!-0$)-?(?:0|[1-9]\d{0,3})(?:\.[1-9])?$/,
  dateTime:
    /^[1-9]\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:[0-5]\d(?:\.\d{0,5}[1-9])?(?:Z|[+-](?:0[1-9]|1[0-3]):\d\d)?$/,
  date: /^[1-9]\d{3}-\d\d-\d\dZ?$/,
};

/** The private datatype for a term; undefined when the engine preserves the term. */
export function privateDatatype(term: TermLike): string | undefined {
  const { termType, value, datatype } = term;
  if (termType !== "Literal" || datatype === undefined) return undefined;
  const name = datatype.value;
  if (name.startsWith(XSD)) {
    const isKept = KEPT_FORMS[name.slice(XSD.length)]?.test(value) ?? false;
    return isKept ? undefined : PRIVATE + name;
  }
  return name.startsWith(PRIVATE) ? PRIVATE + name : undefined;
}

/** The original datatype for a private one. */
export function ownDatatype(held: string): string {
  return held.slice(PRIVATE.length);
}

/** Restores a result term to its form in the dataset. */
export function asWritten(term: JsonTerm): JsonTerm {
  if (term.type === "triple") {
    const { subject, predicate, object } = term.value;
    return { type: "triple", value: { subject, predicate, object: asWritten(object) } };
  }
  const { datatype } = term;
  if (datatype?.startsWith(PRIVATE) !== true) return term;
  return { ...term, datatype: ownDatatype(datatype) };
}
