import {
  blankLabels,
  type Hash,
  iri,
  jsonQuad,
  nQuad,
  type ObjectTerm,
  quad,
  type Quad,
  tripleTerm,
  typed,
} from "../../index.js";
import type { JsonAtomicTerm, JsonQuad, JsonTerm } from "../../ports.js";
import { type QuadSink, TooManyQuads } from "../semijoin/part.js";
import { privateDatatype } from "../rewrite/stored-form.js";
import type { Oxigraph, OxigraphStore } from "./oxigraph.js";

/** Quads passed to the engine per call. */
const PIECE_QUADS = 5000;

/** The part of a dataset that is loaded into the engine. It grows with the needs of queries. */
export class HeldDataset implements QuadSink {
  readonly root: Hash;
  readonly store: OxigraphStore;
  /** The private datatypes of the loaded literals. */
  readonly datatypes: Set<string> = new Set();
  readonly #oxigraph: Oxigraph;
  readonly #quadsMax: number;
  readonly #complete = new Set<string>();
  #piece = "";
  #pieceQuads = 0;

  constructor(oxigraph: Oxigraph, root: Hash, quadsMax: number) {
    this.#oxigraph = oxigraph;
    this.root = root;
    this.#quadsMax = quadsMax;
    this.store = new oxigraph.Store();
  }

  get room(): number {
    return this.#quadsMax - this.store.size;
  }

  take(one: Quad): void {
    const held = this.#asHeld(one);
    if (blankLabels(held).length > 0) {
      // The engine's parser would change the labels.
      this.store.add(this.#foreignQuad(jsonQuad(held)));
      if (this.room < 0) throw new TooManyQuads();
      return;
    }
    this.#piece += nQuad(held);
    this.#pieceQuads += 1;
    if (this.#pieceQuads === PIECE_QUADS) this.flush();
  }

  isComplete(pattern: string): boolean {
    return this.#complete.has(pattern);
  }

  complete(pattern: string): void {
    this.#complete.add(pattern);
  }

  /** Passes buffered quads to the engine. */
  flush(): void {
    // The text was serialized from valid terms, so validation is skipped.
    this.store.load(this.#piece, { format: "application/n-quads", lenient: true });
    this.#piece = "";
    this.#pieceQuads = 0;
    if (this.room < 0) throw new TooManyQuads();
  }

  #asHeld(one: Quad): Quad {
    const object = this.#held(one.object);
    return object === one.object ? one : quad(one.subject, one.predicate, object, one.graph);
  }

  #held(term: ObjectTerm): ObjectTerm {
    if (term.termType === "Quad") {
      const object = this.#held(term.object);
      return object === term.object ? term : tripleTerm(term.subject, term.predicate, object);
    }
    const datatype = privateDatatype(term);
    if (datatype === undefined) return term;
    this.datatypes.add(datatype);
    return typed(term.value, iri(datatype));
  }

  #foreignQuad({ subject, predicate, object, graph }: JsonQuad): unknown {
    const { quad: foreign, defaultGraph } = this.#oxigraph;
    return foreign(
      this.#foreignTerm(subject),
      this.#foreignTerm(predicate),
      this.#foreignTerm(object),
      graph === undefined ? defaultGraph() : this.#foreignTerm(graph),
    );
  }

  #foreignTerm(term: JsonTerm): unknown {
    const { namedNode, blankNode } = this.#oxigraph;
    switch (term.type) {
      case "uri":
        return namedNode(term.value);
      case "bnode":
        return blankNode(term.value);
      case "triple":
        return this.#foreignQuad(term.value);
      case "literal":
        return this.#foreignLiteral(term);
    }
  }

  #foreignLiteral(term: JsonAtomicTerm): unknown {
    const { literal, namedNode } = this.#oxigraph;
    const { value, "xml:lang": language, "its:dir": direction, datatype } = term;
    if (language === undefined) return literal(value, datatype && namedNode(datatype));
    return literal(value, direction === undefined ? language : { language, direction });
  }
}
