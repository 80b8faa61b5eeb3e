import type { QueryCode } from "./query-code.js";

/** Rows of the largest slab, and so of one scan. */
export const SLAB_ROWS_MAX: number = 256;

/** The columns of one slab, row by row. */
export interface SlabColumns {
  /** `stride` codes per row; those beyond the dimension are 0. */
  readonly codes: Int8Array;
  readonly scales: Float32Array;
  readonly residuals: Float32Array;
}

/** The rows that passed a scan, at the start of each array; the scan returns their number. */
export interface Survivors {
  /** Row within the slab, ascending. */
  readonly rows: Int32Array;
  /** Lower and upper bound of the row's cosine. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * Owns the memory of the slabs and scans it. Every kernel computes the bounds of `query-code.ts` by the
 * same operations in the same order, so that all kernels return the same bits.
 */
export interface FilterKernel {
  /**
   * Distance between two rows, in codes: the dimension, rounded up to the number of codes that the
   * kernel reads at once.
   */
  readonly stride: number;
  /** The result of the last scan. The next scan overwrites it; the next `allocate` replaces the arrays. */
  readonly survivors: Survivors;

  /**
   * Reserves a slab permanently, filled with zeros.
   * @returns its address.
   * @throws AppError `LIMIT_EXCEEDED` when the memory is full.
   */
  allocate(rows: number): number;

  /** A slab's columns, valid until the next `allocate`. @param rows as it was allocated with. */
  columns(address: number, rows: number): SlabColumns;

  /** Sets the query of the next scans. */
  setQuery(query: QueryCode): void;

  /**
   * Finds the rows whose upper bound is at least `threshold`.
   * @param capacity the rows that the slab was allocated with; `count`: the rows in use.
   * @returns how many there are; they are in `survivors`.
   */
  scan(
    slab: { readonly address: number; readonly capacity: number; readonly count: number },
    threshold: number,
  ): number;
}
