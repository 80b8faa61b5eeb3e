import { assert } from "@steward/kernel/assert.js";
import {
  SLAB_ROWS_MAX,
  type FilterKernel,
  type SlabColumns,
  type Survivors,
} from "./filter-kernel.js";
import type { QueryCode } from "./query-code.js";

/** The filter in plain JavaScript, for machines without SIMD. Addresses are indexes of a list. */
export class JsKernel implements FilterKernel {
  readonly stride: number;
  readonly survivors: Survivors = {
    rows: new Int32Array(SLAB_ROWS_MAX),
    lower: new Float64Array(SLAB_ROWS_MAX),
    upper: new Float64Array(SLAB_ROWS_MAX),
  };
  readonly #slabs: SlabColumns[] = [];
  #query: QueryCode | undefined;

  constructor(dimension: number) {
    this.stride = dimension;
  }

  allocate(rows: number): number {
    const columns = {
      codes: new Int8Array(rows * this.stride),
      scales: new Float32Array(rows),
      residuals: new Float32Array(rows),
    };
    return this.#slabs.push(columns) - 1;
  }

  columns(address: number): SlabColumns {
    const columns = this.#slabs[address];
    assert(columns !== undefined, "a slab is used at the address it was allocated at");
    return columns;
  }

  setQuery(query: QueryCode): void {
    this.#query = query;
  }

  scan(slab: { readonly address: number; readonly count: number }, threshold: number): number {
    const query = this.#query;
    assert(query !== undefined, "a query is set before a scan");
    const { codes, scales, residuals } = this.columns(slab.address);
    const { rows, lower, upper } = this.survivors;
    let found = 0;
    for (let row = 0; row < slab.count; row += 1) {
      const product = integerProduct(query.levels, codes, row * this.stride);
      const estimate = product * query.gain * (scales[row] ?? 0);
      const margin = (residuals[row] ?? 0) * query.reach + query.slack;
      if (estimate + margin < threshold) continue;
      rows[found] = row;
      lower[found] = estimate - margin;
      upper[found] = estimate + margin;
      found += 1;
    }
    return found;
  }
}

function integerProduct(levels: Int16Array, codes: Int8Array, start: number): number {
  let sum = 0;
  for (let index = 0; index < levels.length; index += 1) {
    sum += (levels[index] ?? 0) * (codes[start + index] ?? 0);
  }
  return sum;
}
