import { type BodySource, readTermTo, TAG, termEnd } from "./codec.js";
import { ORDERS, type Order, type Position } from "./quad-key.js";
import {
  Quad,
  type Graph,
  type NamedNode,
  type ObjectTerm,
  type Subject,
  type Term,
} from "./term.js";

/** What is known of the quads to be read. */
export interface KnownTerms {
  readonly order: Order;
  /** How many terms are the same in every key, and how many bytes they have. */
  readonly fixed: number;
  readonly fixedBytes: number;
  /** The terms that are known already, by their places in the order. */
  readonly given: readonly (Term | undefined)[];
  /** What terms must be, as bytes, by their places in the order; undefined: anything. */
  readonly filters: readonly (Buffer | undefined)[];
}

const PLACES: readonly Position[] = ["subject", "predicate", "object", "graph"];

/** Reads the quads of keys in ascending order. What a key has in common with the one before it is read once. */
export class QuadReader {
  readonly #known: KnownTerms;
  readonly #body: BodySource;
  readonly #places: readonly number[];
  readonly #terms: (Term | undefined)[];
  /** Where each term of the last key ends, as far as it was read. */
  readonly #ends: Uint16Array = new Uint16Array(4);
  #read: number;

  constructor(known: KnownTerms, body: BodySource) {
    this.#known = known;
    this.#body = body;
    this.#places = PLACES.map((place) => ORDERS[known.order].indexOf(place));
    this.#terms = [...known.given];
    this.#read = known.fixed;
  }

  /**
   * Reads a key's quad.
   * @param length the key's bytes. @param shared how many of them are those of the key read before.
   * @returns nothing where a filter says no.
   */
  read(key: Buffer, length: number, shared: number): Quad | undefined {
    const { fixed, fixedBytes, filters, given } = this.#known;
    const ends = this.#ends;
    let index = fixed;
    let at = fixedBytes;
    for (; index < this.#read && (ends[index] ?? 0) <= shared; index++) at = ends[index] ?? 0;
    for (; index < 4; index++) {
      const end = endOf(key, length, index, at);
      const filter = filters[index];
      if (filter !== undefined && key.compare(filter, 0, filter.length, at, end) !== 0) {
        this.#read = index;
        return undefined;
      }
      this.#terms[index] = given[index] ?? readTermTo(key, at, end, this.#body);
      ends[index] = end;
      at = end;
    }
    this.#read = 4;
    const [subject = 0, predicate = 0, object = 0, graph = 0] = this.#places;
    // What may stand in which place was checked when the quad was written.
    return new Quad(
      this.#terms[subject] as Subject,
      this.#terms[predicate] as NamedNode,
      this.#terms[object] as ObjectTerm,
      this.#terms[graph] as Graph,
    );
  }
}

/** Where the term that begins here ends. The last one ends with the key; the default graph is one byte. */
function endOf(key: Buffer, length: number, index: number, at: number): number {
  if (index === 3) return length;
  const isBeforeDefault = index === 2 && key[length - 1] === TAG.defaultGraph;
  return isBeforeDefault ? length - 1 : termEnd(key, at);
}
