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
} from "../../state/index.js";

/** A term for people: as N-Triples writes it. */
export function showTerm(term: StateTerm): string {
  return termText(termOf(term));
}

/** A term as our own. */
export function termOf(term: StateTerm): ObjectTerm {
  if (term.type !== "triple") return atomicTermOf(term);
  const { subject, predicate, object } = term.value;
  // A term in a place where it cannot stand is refused when it is written.
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

/** What a quad says of its subject, for people. */
export function showStatement({ predicate, object, graph }: StateQuad): string {
  const place = graph === undefined ? "" : `  in ${showTerm(graph)}`;
  return `${showTerm(predicate)} ${showTerm(object)}${place}`;
}

const BARE_IRI = /^[a-z][a-z0-9+.-]*:[^\s<>"]*$/i;

/** A term as somebody types it: an IRI may do without its brackets, which a shell would take amiss. */
export function typedTerm(source: string): string {
  return BARE_IRI.test(source) ? `<${source}>` : source;
}
