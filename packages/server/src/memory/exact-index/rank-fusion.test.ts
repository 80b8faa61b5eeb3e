import { describe, expect, it } from "vitest";
import { fuse } from "./rank-fusion.js";
import type { Hit } from "./top-k.js";

describe("reciprocal rank fusion", () => {
  it("puts what both lists have before what one has, whatever its place there", () => {
    const fused = fuse([hit("a", 0.9), hit("b", 0.1)], [hit("c", 0.8), hit("b", 0.1)]);
    expect(fused.map(({ entryId, ranks }) => [entryId, ranks])).toEqual([
      ["b", { vector: 2, text: 2, fused: 2 / 62 }],
      ["a", { vector: 1, fused: 1 / 61 }],
      ["c", { text: 1, fused: 1 / 61 }],
    ]);
  });

  it("keeps each hit's score and order where there is only one list", () => {
    const hits = [hit("a", 0.9), hit("b", 0.5)];
    expect(fuse(hits, []).map(({ entryId, score }) => [entryId, score])).toEqual([
      ["a", 0.9],
      ["b", 0.5],
    ]);
    expect(fuse([], hits)).toHaveLength(2);
  });
});

function hit(entryId: string, score: number): Hit {
  return { entryId, score, createdAtMs: 0 };
}
