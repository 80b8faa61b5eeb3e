import type { JsonTerm, TermLike } from "../../../state/index.js";

const XSD = "http://www.w3.org/2001/XMLSchema#";

/**
 * Datatypes under which the engine holds literals that it would otherwise rewrite: it keeps numbers, times and
 * truth values as values, and so makes "1" of "01". A literal of a datatype that it does not know stays as it is.
 */
const PRIVATE = "urn:x-steward:as-written:";

/**
 * Forms that the engine gives back as they are, by datatype: others are held under a private datatype. That a form
 * is missing here costs time, but nothing else.
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

/** The private datatype that a term is held under; undefined when the engine keeps it as it is. */
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

/** The datatype that a private one stands for. */
export function ownDatatype(held: string): string {
  return held.slice(PRIVATE.length);
}

/** A term of an answer as the dataset has it. */
export function asWritten(term: JsonTerm): JsonTerm {
  if (term.type === "triple") {
    const { subject, predicate, object } = term.value;
    return { type: "triple", value: { subject, predicate, object: asWritten(object) } };
  }
  const { datatype } = term;
  if (datatype?.startsWith(PRIVATE) !== true) return term;
  return { ...term, datatype: ownDatatype(datatype) };
}
