import { type BlankQuad, type Component, lineOf } from "./component.js";
import type { Digest } from "./digest.js";

/**
 * RDFC-1.0 §4.6, Hash First Degree Quads: for each node, the hash of the quads in which it occurs.
 */
export function firstDegreeHashes({ mentions }: Component, digest: Digest): readonly string[] {
  return mentions.map((quads, node) => {
    const labelOf = (other: number): string => (other === node ? "a" : "z");
    return digest(sortedText(quads, labelOf));
  });
}

/** The quads' lines with these labels, in code point order. */
export function sortedText(quads: readonly BlankQuad[], labelOf: (node: number) => string): string {
  return sortedByCodePoint(quads.map((one) => lineOf(one, labelOf))).join("");
}

const SURROGATE = /[\ud800-\udfff]/;

/**
 * JavaScript compares UTF-16 code units, whose order differs from code points only beyond U+FFFF.
 */
function sortedByCodePoint(lines: string[]): string[] {
  if (!lines.some((line) => SURROGATE.test(line))) return lines.sort();
  return lines
    .map((line) => Buffer.from(line))
    .sort((a, b) => Buffer.compare(a, b))
    .map(String);
}
