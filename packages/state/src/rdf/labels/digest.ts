import { hash } from "node:crypto";

/** A cryptographic hash of a text in UTF-8, or of bytes, in hexadecimal digits. */
export type Digest = (content: string | Uint8Array) => string;

/** The hash that RDFC-1.0 uses unless another is asked for. */
export const sha256: Digest = (content) => hash("sha256", content, "hex");

/** Compares digests for sorting, in ascending order. */
export function compareDigests(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
