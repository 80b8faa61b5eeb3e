import type { StateQuad, StateTerm } from "@steward/client";
import { blank, iri, type Term, termText, text, typed } from "../../state/index.js";

/** A term for people: as N-Triples writes it. */
export function showTerm(term: StateTerm): string {
  return termText(termOf(term));
}

/** A term as our own. */
export function termOf(term: StateTerm): Exclude<Term, { readonly termType: "DefaultGraph" }> {
  const { type, value } = term;
  if (type === "uri") return iri(value);
  if (type === "bnode") return blank(value);
  const { "xml:lang": language, datatype } = term;
  return datatype === undefined ? text(value, language) : typed(value, iri(datatype));
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
