import { describe, expect, it } from "vitest";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import {
  exactIndexBattery,
  randomVector,
} from "../../memory/exact-index/testing/exact-index-battery.js";
import type { FilterKernel } from "../../memory/exact-index/filter-kernel.js";
import { JsKernel } from "../../memory/exact-index/js-kernel.js";
import { encodeQuery, queryLevelMax, type QueryCode } from "../../memory/exact-index/query-code.js";
import { encodeVector, type VectorCode } from "../../memory/exact-index/vector-code.js";
import { WasmKernel } from "./wasm-kernel.js";

exactIndexBattery("WebAssembly", wasmKernel);

describe("the WebAssembly kernel", () => {
  it.each([1, 31, 32, 768, 1536, 16_384])(
    "computes the bounds of the JavaScript kernel to the bit in dimension %i",
    (dimension) => {
      const random = seededRandom(dimension);
      const codes = Array.from({ length: 16 }, () => encodeVector(randomVector(dimension, random)));
      const query = encodeQuery(randomVector(dimension, random));
      const survivors = scanned(wasmKernel(dimension), codes, query);
      expect(survivors).toEqual(scanned(new JsKernel(dimension), codes, query));
    },
  );

  it("does not overflow where codes and levels are as large as they get", () => {
    for (const dimension of [768, 2048, 16_384]) {
      const codes = [1, -1].map((sign) => ({
        codes: new Int8Array(dimension).fill(127 * sign),
        scale: 1,
        residual: 0,
      }));
      const levels = new Int16Array(dimension).fill(queryLevelMax(dimension));
      const query = { levels, gain: 1, reach: 1, slack: 0 };
      const product = 127 * queryLevelMax(dimension) * dimension;
      const [, lower] = scanned(wasmKernel(dimension), codes, query);
      expect(lower).toEqual([product, -product]);
    }
  });

  it("keeps its slabs when its memory grows", () => {
    const kernel = wasmKernel(768);
    const first = kernel.allocate(256);
    kernel.columns(first, 256).codes.fill(7);
    for (let slab = 0; slab < 200; slab += 1) kernel.allocate(256);
    expect(kernel.columns(first, 256).codes.every((code) => code === 7)).toBe(true);
    expect(kernel.survivors.rows).toHaveLength(256);
  });
});

function wasmKernel(dimension: number): WasmKernel {
  return WasmKernel.create(dimension) ?? expect.unreachable("Node has WebAssembly SIMD");
}

/** The survivors of a scan of these codes, with their lower and upper bounds. */
function scanned(
  kernel: FilterKernel,
  codes: readonly VectorCode[],
  query: QueryCode,
): readonly (readonly number[])[] {
  const slab = { address: kernel.allocate(16), capacity: 16, count: codes.length };
  const columns = kernel.columns(slab.address, slab.capacity);
  for (const [row, code] of codes.entries()) {
    columns.codes.set(code.codes, row * kernel.stride);
    columns.scales[row] = code.scale;
    columns.residuals[row] = code.residual;
  }
  kernel.setQuery(query);
  const found = kernel.scan(slab, -Infinity);
  const { rows, lower, upper } = kernel.survivors;
  return [rows, lower, upper].map((column) => [...column.subarray(0, found)]);
}
