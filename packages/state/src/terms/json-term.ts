import type { JsonAtomicTerm, JsonBindings, JsonQuad, JsonTerm } from "../ports.js";
import { statementOf } from "./placement.js";
import {
  type QuadLike,
  RDF_DIR_LANG_STRING,
  RDF_LANG_STRING,
  type TermLike,
  XSD_STRING,
} from "./term.js";

/** A term in JSON (SPARQL 1.2 Query Results JSON Format §3.2.2). */
export function jsonTerm(term: TermLike): JsonTerm {
  if (term.termType !== "Quad") return jsonAtomicTerm(term);
  const { subject, predicate, object } = statementOf(term);
  return {
    type: "triple",
    value: {
      subject: jsonAtomicTerm(subject),
      predicate: jsonAtomicTerm(predicate),
      object: jsonTerm(object),
    },
  };
}

/** A term in JSON, except triple terms. */
export function jsonAtomicTerm(term: TermLike): JsonAtomicTerm {
  const { termType, value } = term;
  if (termType === "NamedNode") return { type: "uri", value };
  if (termType === "BlankNode") return { type: "bnode", value };
  const { language = "", direction, datatype } = term;
  if (direction === "ltr" || direction === "rtl") {
    return { type: "literal", value, "xml:lang": language, "its:dir": direction };
  }
  if (language !== "") return { type: "literal", value, "xml:lang": language };
  const isPlain = datatype === undefined || TEXT_TYPES.has(datatype.value);
  return isPlain
    ? { type: "literal", value }
    : { type: "literal", value, datatype: datatype.value };
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  XSD_STRING.value,
  RDF_LANG_STRING.value,
  RDF_DIR_LANG_STRING.value,
]);

/** The terms of a solution in JSON, by their variables. */
export function jsonBindings(row: ReadonlyMap<string, TermLike>): JsonBindings {
  return Object.fromEntries([...row].map(([name, term]) => [name, jsonTerm(term)]));
}

export function jsonQuad({ subject, predicate, object, graph }: QuadLike): JsonQuad {
  return {
    subject: jsonAtomicTerm(subject),
    predicate: jsonAtomicTerm(predicate),
    object: jsonTerm(object),
    ...(graph.termType === "DefaultGraph" ? {} : { graph: jsonAtomicTerm(graph) }),
  };
}
