import { keyStarts, sortedByKey } from "./counting-sort.js";
import type { Graph } from "./graph.js";
import { Trace } from "./trace.js";

/**
 * An ordered partition of a graph's vertices into cells. A cell is identified by its start: the
 * number of vertices in the preceding cells.
 *
 * The order of cells, and {@link trace}, do not depend on the numbering of vertices, so the
 * partitions of isomorphic graphs correspond to each other. The order of vertices within a cell is
 * arbitrary.
 */
export class Partition {
  /** The vertices, cell by cell. */
  readonly vertices: Int32Array;
  /** By vertex: the start of its cell. */
  readonly starts: Int32Array;
  /** By a cell's start: its size. */
  readonly sizes: Int32Array;
  /** The record of splits since this partition was created. */
  readonly trace: Trace;
  /** By vertex: its index in `vertices`. */
  readonly #places: Int32Array;
  #cellCount: number;

  private constructor(
    vertices: Int32Array,
    cells: Pick<Partition, "starts" | "sizes" | "cellCount" | "trace">,
  ) {
    this.vertices = vertices;
    this.starts = cells.starts;
    this.sizes = cells.sizes;
    this.trace = cells.trace;
    this.#cellCount = cells.cellCount;
    this.#places = new Int32Array(vertices.length);
    vertices.forEach((vertex, place) => (this.#places[vertex] = place));
  }

  /** One cell per colour, ordered by colour. */
  static byColour({ colours, size }: Graph): Partition {
    const colourStarts = keyStarts(colours, size);
    const starts = colours.map((colour) => colourStarts[colour] ?? 0);
    const sizes = new Int32Array(size);
    for (const start of starts) sizes[start] = (sizes[start] ?? 0) + 1;
    const cellCount = sizes.filter((cellSize) => cellSize > 0).length;
    const trace = new Trace();
    return new Partition(sortedByKey(colours, size), { starts, sizes, cellCount, trace });
  }

  get cellCount(): number {
    return this.#cellCount;
  }

  /** @param trace an empty trace for the copy. */
  copy(trace: Trace): Partition {
    return new Partition(this.vertices.slice(), {
      starts: this.starts.slice(),
      sizes: this.sizes.slice(),
      cellCount: this.#cellCount,
      trace,
    });
  }

  /** The starts of the cells, in order. */
  *cells(): Generator<number> {
    for (let start = 0; start < this.vertices.length; start += this.sizes[start] ?? 1) yield start;
  }

  /** The vertices of a cell: a view that changes with the partition. */
  cell(start: number): Int32Array {
    return this.vertices.subarray(start, start + (this.sizes[start] ?? 0));
  }

  /**
   * Splits the vertex from its cell, as a cell before the rest.
   * @returns the start of the new cell.
   */
  isolate(vertex: number): number {
    const start = this.starts[vertex] ?? 0;
    const end = start + (this.sizes[start] ?? 0);
    this.#swap(vertex, start);
    this.#bound(start, start + 1, false);
    this.#bound(start + 1, end, true);
    return start;
  }

  /**
   * Splits a cell. The untouched vertices come first, then the touched ones by ascending count.
   * @param touched vertices of the cell; the method sorts them.
   * @param counts by vertex, from 1.
   * @returns the starts of the parts, in order; one start when nothing was split.
   */
  split(start: number, touched: number[], counts: Int32Array): readonly number[] {
    const size = this.sizes[start] ?? 0;
    const end = start + size;
    const countOf = (vertex: number): number => counts[vertex] ?? 0;
    touched.sort((a, b) => countOf(a) - countOf(b));
    const parts = touched.length === size ? [] : [start];
    let place = end - touched.length;
    let count = 0;
    for (const vertex of touched) {
      this.#swap(vertex, place);
      if (countOf(vertex) !== count) {
        count = countOf(vertex);
        parts.push(place);
        this.trace.add(count);
      }
      place += 1;
    }
    if (parts.length > 1) {
      parts.forEach((part, index) => {
        this.#bound(part, parts[index + 1] ?? end, part !== start);
      });
    }
    return parts;
  }

  /**
   * Sets the bounds of a cell.
   * @param isNew whether its vertices were in another cell.
   */
  #bound(start: number, end: number, isNew: boolean): void {
    this.sizes[start] = end - start;
    if (!isNew) return;
    for (let place = start; place < end; place++) this.starts[this.vertices[place] ?? 0] = start;
    this.#cellCount += 1;
    this.trace.add(start);
  }

  #swap(vertex: number, place: number): void {
    const from = this.#places[vertex] ?? 0;
    const other = this.vertices[place] ?? 0;
    this.vertices[from] = other;
    this.vertices[place] = vertex;
    this.#places[other] = from;
    this.#places[vertex] = place;
  }
}
