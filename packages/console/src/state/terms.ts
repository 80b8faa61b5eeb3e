import type { StateTerm } from "@steward/client";

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";

/** A term in N-Triples syntax, as the API takes it. */
export function ntriplesOf(term: StateTerm): string {
  switch (term.type) {
    case "uri":
      return `<${term.value}>`;
    case "bnode":
      return `_:${term.value}`;
    case "literal": {
      const text = `"${escaped(term.value)}"`;
      const direction = term["its:dir"];
      const language = term["xml:lang"];
      if (language !== undefined) {
        return `${text}@${language}${direction === undefined ? "" : `--${direction}`}`;
      }
      const type = term.datatype;
      return type === undefined || type === XSD_STRING ? text : `${text}^^<${type}>`;
    }
    case "triple": {
      const { subject, predicate, object } = term.value;
      return `<<( ${ntriplesOf(subject)} ${ntriplesOf(predicate)} ${ntriplesOf(object)} )>>`;
    }
  }
}

/** A term for people: texts as they are, and of an IRI what comes after its last separator. */
export function shortTerm(term: StateTerm): string {
  switch (term.type) {
    case "uri":
      return /[^/#:]+$/.exec(term.value)?.[0] ?? term.value;
    case "bnode":
      return `_:${term.value}`;
    case "literal":
      return term.value;
    case "triple":
      return ntriplesOf(term);
  }
}

/** Whether other quads can have the term as their subject. */
export function canBeSubject({ type }: StateTerm): boolean {
  return type === "uri" || type === "bnode";
}

function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
}
