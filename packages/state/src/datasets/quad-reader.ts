import { type BodySource, readTermTo, TAG, termEnd } from "../terms/codec.js";
import { ORDERS, type Order, type Position } from "../terms/quad-key.js";
import {
  Quad,
  type Graph,
  type NamedNode,
  type ObjectTerm,
  type Subject,
  type Term,
} from "../terms/term.js";

/** What is known about the quads before they are read. */
export interface KnownTerms {
  readonly order: Order;
  /** Number of leading terms that are equal in all keys, and their length in bytes. */
  readonly fixed: number;
  readonly fixedBytes: number;
  /** Known terms, by position in the order. */
  readonly given: readonly (Term | undefined)[];
  /** Required encodings of terms, by position in the order; undefined: any term. */
  readonly filters: readonly (Buffer | undefined)[];
}

const PLACES: readonly Position[] = ["subject", "predicate", "object", "graph"];

/**
 * Decodes quads from keys in ascending order. A prefix shared with the previous key is decoded
 * once.
 */
export class QuadReader {
  readonly #known: KnownTerms;
  readonly #body: BodySource;
  readonly #places: readonly number[];
  readonly #terms: (Term | undefined)[];
  /** Where each term of the last key ends, as far as it was decoded. */
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
   * Decodes a key.
   * @param length the key's length in bytes.
   * @param shared number of leading bytes shared with the previous key.
   * @returns undefined when a filter does not match.
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
    // The positions of terms were checked when the quad was written.
    return new Quad(
      this.#terms[subject] as Subject,
      this.#terms[predicate] as NamedNode,
      this.#terms[object] as ObjectTerm,
      this.#terms[graph] as Graph,
    );
  }
}

/**
 * Position after the term that begins here. The last term ends with the key; the default graph is
 * one byte.
 */
function endOf(key: Buffer, length: number, index: number, at: number): number {
  if (index === 3) return length;
  const isBeforeDefault = index === 2 && key[length - 1] === TAG.defaultGraph;
  return isBeforeDefault ? length - 1 : termEnd(key, at);
}
