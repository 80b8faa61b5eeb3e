import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  SLAB_ROWS_MAX,
  type FilterKernel,
  type QueryCode,
  type SlabColumns,
  type Survivors,
} from "../../memory/index.js";
import { KERNEL_WASM } from "./kernel-wasm.js";

/**
 * The part of the WebAssembly API that this file uses. TypeScript declares the API only for
 * browsers.
 */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** Exports of `kernel.wat`. */
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  setBound(gain: number, reach: number, slack: number): void;
  scan(address: number, capacity: number, count: number, stride: number, threshold: number): number;
}

/** Codes that one iteration of the inner loop reads. */
const STEP = 32;
const PAGE_BYTES = 64 * 1024;
/**
 * Growth step of the memory: 256 pages, 16 MiB. The operating system allocates them when they are
 * first written.
 */
const GROWTH_PAGES = 256;

/**
 * Bytes that `kernel.wat` prefetches beyond the current codes. The memory must extend this far
 * behind the last slab.
 */
const READ_AHEAD = 8192 + STEP;

/** Addresses of the buffers in the memory, in bytes, as `kernel.wat` defines them. */
const LOWER_AT = 0;
const UPPER_AT = 2048;
const ROWS_AT = 4096;
const LEVELS_AT = 5120;

/** The filter in WebAssembly SIMD. Addresses are byte offsets in the module's memory. */
export class WasmKernel implements FilterKernel {
  readonly stride: number;
  survivors: Survivors;
  readonly #wasm: KernelExports;
  /** Cache of the last requested columns: entries are mostly added to one slab after the other. */
  #lastColumns: { readonly address: number; readonly columns: SlabColumns } | undefined;
  /** The first byte behind the last slab. */
  #end: number;

  private constructor(dimension: number, wasm: KernelExports) {
    this.stride = Math.ceil(dimension / STEP) * STEP;
    this.#wasm = wasm;
    this.#end = LEVELS_AT + Int16Array.BYTES_PER_ELEMENT * this.stride;
    this.#growTo(this.#end);
    this.survivors = this.#survivors();
  }

  /** @returns `undefined` where WebAssembly SIMD is missing or switched off. */
  static create(dimension: number): WasmKernel | undefined {
    const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;
    const bytes = Buffer.from(KERNEL_WASM, "base64");
    if (api?.validate(bytes) !== true) return undefined;
    // The exports are those of kernel.wat; a test assembles it again and compares.
    const { exports } = new api.Instance(new api.Module(bytes)) as { exports: KernelExports };
    return new WasmKernel(dimension, exports);
  }

  allocate(rows: number): number {
    const address = this.#end;
    this.#end += rows * (this.stride + 2 * Float32Array.BYTES_PER_ELEMENT);
    this.#growTo(this.#end);
    return address;
  }

  columns(address: number, rows: number): SlabColumns {
    if (this.#lastColumns?.address === address) return this.#lastColumns.columns;
    const { buffer } = this.#wasm.memory;
    const scalesAt = address + rows * this.stride;
    const residualsAt = scalesAt + rows * Float32Array.BYTES_PER_ELEMENT;
    const columns = {
      codes: new Int8Array(buffer, address, rows * this.stride),
      scales: new Float32Array(buffer, scalesAt, rows),
      residuals: new Float32Array(buffer, residualsAt, rows),
    };
    this.#lastColumns = { address, columns };
    return columns;
  }

  setQuery(query: QueryCode): void {
    assert(query.levels.length <= this.stride, "a query has the dimension of the kernel");
    new Int16Array(this.#wasm.memory.buffer, LEVELS_AT, this.stride).fill(0).set(query.levels);
    this.#wasm.setBound(query.gain, query.reach, query.slack);
  }

  scan(
    slab: { readonly address: number; readonly capacity: number; readonly count: number },
    threshold: number,
  ): number {
    return this.#wasm.scan(slab.address, slab.capacity, slab.count, this.stride, threshold);
  }

  #growTo(bytes: number): void {
    const missing = bytes + READ_AHEAD - this.#wasm.memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      this.#wasm.memory.grow(Math.max(GROWTH_PAGES, Math.ceil(missing / PAGE_BYTES)));
    } catch (error) {
      throw new AppError(
        "LIMIT_EXCEEDED",
        "The memory index is full: it takes 4 GiB, or all memory of this machine; set a shorter retention for memory, or give the machine more memory",
        { cause: error },
      );
    }
    // Growing the memory detaches the old buffer and every view of it.
    this.survivors = this.#survivors();
    this.#lastColumns = undefined;
  }

  #survivors(): Survivors {
    const { buffer } = this.#wasm.memory;
    return {
      rows: new Int32Array(buffer, ROWS_AT, SLAB_ROWS_MAX),
      lower: new Float64Array(buffer, LOWER_AT, SLAB_ROWS_MAX),
      upper: new Float64Array(buffer, UPPER_AT, SLAB_ROWS_MAX),
    };
  }
}
