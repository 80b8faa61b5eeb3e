import type { Quad, Term } from "./term.js";
import { XSD_STRING } from "./term.js";

/** A term in canonical N-Triples and SPARQL syntax (RDF 1.2 N-Quads §4). */
export function termText(term: Term): string {
  switch (term.termType) {
    case "NamedNode":
      return `<${term.value}>`;
    case "BlankNode":
      return `_:${term.value}`;
    case "DefaultGraph":
      return "";
    case "Quad": {
      const { subject, predicate, object } = term;
      return `<<( ${termText(subject)} ${termText(predicate)} ${termText(object)} )>>`;
    }
    case "Literal": {
      const quoted = `"${escaped(term.value)}"`;
      if (term.direction !== "") return `${quoted}@${term.language}--${term.direction}`;
      if (term.language !== "") return `${quoted}@${term.language}`;
      return term.datatype.equals(XSD_STRING) ? quoted : `${quoted}^^<${term.datatype.value}>`;
    }
  }
}

/** A quad as a line of N-Quads, including the newline. */
export function nQuad({ subject, predicate, object, graph }: Quad): string {
  const triple = `${termText(subject)} ${termText(predicate)} ${termText(object)}`;
  return graph.termType === "DefaultGraph" ? `${triple} .\n` : `${triple} ${termText(graph)} .\n`;
}

const ESCAPED = /["\\\u0000-\u001f\u007f\ufffe\uffff]/g;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

function escaped(text: string): string {
  return text.replace(
    ESCAPED,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
}
