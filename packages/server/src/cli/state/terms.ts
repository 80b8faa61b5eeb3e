import type { StateAtomicTerm, StateQuad, StateTerm } from "@steward/client";
import {
  blank,
  type BlankNode,
  iri,
  type Literal,
  type NamedNode,
  type ObjectTerm,
  type Subject,
  termText,
  text,
  tripleTerm,
  typed,
} from "@steward/state";

/** Formats a term in N-Triples syntax. */
export function showTerm(term: StateTerm): string {
  return termText(termOf(term));
}

/** Converts a REST term to an RDF term. */
export function termOf(term: StateTerm): ObjectTerm {
  if (term.type !== "triple") return atomicTermOf(term);
  const { subject, predicate, object } = term.value;
  // A misplaced term is refused when it is encoded.
  return tripleTerm(
    atomicTermOf(subject) as Subject,
    atomicTermOf(predicate) as NamedNode,
    termOf(object),
  );
}

function atomicTermOf({ type, value, ...more }: StateAtomicTerm): NamedNode | BlankNode | Literal {
  if (type === "uri") return iri(value);
  if (type === "bnode") return blank(value);
  const { "xml:lang": language, "its:dir": direction, datatype } = more;
  return datatype === undefined ? text(value, language, direction) : typed(value, iri(datatype));
}

/** Formats a quad without its subject. */
export function showStatement({ predicate, object, graph }: StateQuad): string {
  const place = graph === undefined ? "" : `  in ${showTerm(graph)}`;
  return `${showTerm(predicate)} ${showTerm(object)}${place}`;
}

const BARE_IRI = /^[a-z][a-z0-9+.-]*:[^\s<>"]*$/i;

/**
 * Parses a typed term. An IRI may be written without angle brackets, which have a meaning in
 * shells.
 */
export function typedTerm(source: string): string {
  return BARE_IRI.test(source) ? `<${source}>` : source;
}
