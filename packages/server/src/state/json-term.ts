import type { JsonQuad, JsonTerm } from "./ports.js";
import { type QuadLike, RDF_LANG_STRING, type TermLike, XSD_STRING } from "./term.js";

/** A term in JSON (SPARQL 1.1 Query Results JSON Format §3.2.2). */
export function jsonTerm(term: TermLike): JsonTerm {
  const { termType, value } = term;
  if (termType === "NamedNode") return { type: "uri", value };
  if (termType === "BlankNode") return { type: "bnode", value };
  const { language = "", datatype } = term;
  if (language !== "") return { type: "literal", value, "xml:lang": language };
  const isPlain =
    datatype === undefined ||
    datatype.value === XSD_STRING.value ||
    datatype.value === RDF_LANG_STRING.value;
  return isPlain
    ? { type: "literal", value }
    : { type: "literal", value, datatype: datatype.value };
}

/** A quad in JSON. */
export function jsonQuad({ subject, predicate, object, graph }: QuadLike): JsonQuad {
  return {
    subject: jsonTerm(subject),
    predicate: jsonTerm(predicate),
    object: jsonTerm(object),
    ...(graph.termType === "DefaultGraph" ? {} : { graph: jsonTerm(graph) }),
  };
}
