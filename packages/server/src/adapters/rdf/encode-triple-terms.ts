import {
  blank,
  blankLabels,
  type BlankNode,
  iri,
  Literal,
  type NamedNode,
  type ObjectTerm,
  quad,
  type Quad,
  RDF_LANG_STRING,
  termText,
  type TripleTerm,
} from "../../state/index.js";

/** Properties of the nodes that stand for triple terms. No dataset has them: an IRI has no spaces. */
const SUBJECT = iri("subject of a triple term");
const PREDICATE = iri("predicate of a triple term");
const OBJECT = iri("object of a triple term");

/**
 * Says in RDF 1.1 what quads say in RDF 1.2, for RDFC-1.0, which knows no triple terms and no base directions. A
 * triple term with blank nodes becomes a blank node that has its subject, its predicate and its object; one without
 * becomes an IRI. Datasets are isomorphic exactly when what this makes of them is, so labels found for that hold for
 * the dataset. Not fit for anything else: its IRIs and language tags are none.
 */
export function encodeTripleTerms(quads: readonly Quad[]): readonly Quad[] {
  const encoding = new Encoding();
  const encoded = quads.map((one) => encoding.quad(one));
  return [...encoded, ...encoding.descriptions];
}

class Encoding {
  /** What says which triple term a node stands for. */
  readonly descriptions: Quad[] = [];
  readonly #nodes = new Map<string, BlankNode>();

  quad(one: Quad): Quad {
    const { subject, predicate, object, graph } = one;
    const encoded = this.#object(object);
    return encoded === object ? one : quad(subject, predicate, encoded, graph);
  }

  #object(term: ObjectTerm): ObjectTerm {
    if (term.termType === "Quad") return this.#triple(term);
    if (term.termType !== "Literal" || term.direction === "") return term;
    return new Literal(term.value, RDF_LANG_STRING, `${term.language}--${term.direction}`);
  }

  #triple(term: TripleTerm): BlankNode | NamedNode {
    const name = termText(term);
    if (blankLabels(term).length === 0) return iri(name);
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    // Labels of a document have no spaces either.
    const node = blank(`triple term ${this.#nodes.size}`);
    this.#nodes.set(name, node);
    this.descriptions.push(
      quad(node, SUBJECT, term.subject),
      quad(node, PREDICATE, term.predicate),
      quad(node, OBJECT, this.#object(term.object)),
    );
    return node;
  }
}
