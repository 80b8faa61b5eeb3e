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
} from "../index.js";

/**
 * Properties of nodes that represent triple terms. They contain spaces, so no dataset has these
 * IRIs.
 */
const SUBJECT = iri("subject of a triple term");
const PREDICATE = iri("predicate of a triple term");
const OBJECT = iri("object of a triple term");

/**
 * Encodes RDF 1.2 quads in RDF 1.1 for RDFC-1.0, which supports neither triple terms nor base
 * directions. A triple term with blank nodes becomes a blank node with its subject, predicate and
 * object as properties; a triple term without becomes an IRI. Two datasets are isomorphic exactly
 * when their encodings are, so labels computed for the encoding hold for the dataset. The encoding
 * has no other use, because its IRIs and language tags are invalid.
 */
export function encodeTripleTerms(quads: readonly Quad[]): readonly Quad[] {
  const encoding = new Encoding();
  const encoded = quads.map((one) => encoding.quad(one));
  return [...encoded, ...encoding.descriptions];
}

class Encoding {
  /** Quads that describe which triple term a node represents. */
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
    // A label with spaces cannot clash with a label of the document.
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
