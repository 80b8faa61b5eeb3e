import { assert } from "@steward/kernel/assert.js";
import type { Hash } from "../index.js";
import type { RdfDocument } from "../ports.js";

const WORD_BYTES = 4;
const HASH_BYTES = 32;

/**
 * Serializes a document as chunks. The header has four words: the number of bytes of terms, of
 * offsets, of numbers in rows, and of bodies. Then follow the offsets, the rows and the bodies'
 * lengths; the terms; the bodies' hashes and the bodies. Words are unsigned 32-bit integers in the
 * machine's byte order, because both processes run on the same machine.
 */
export function encodeDocument({ quads, bodies }: RdfDocument): readonly Uint8Array[] {
  const { terms, offsets, rows } = quads;
  const texts = [...bodies.values()];
  const words = [
    Uint32Array.of(terms.length, offsets.length, rows.length, texts.length),
    offsets,
    rows,
    Uint32Array.from(texts, (text) => text.length),
  ];
  const bytes = words.map(({ buffer, byteOffset, byteLength }) => {
    return new Uint8Array(buffer, byteOffset, byteLength);
  });
  const hashes = Buffer.from([...bodies.keys()].join(""), "hex");
  return [...bytes, terms, hashes, ...texts];
}

/** @param bytes must have an ArrayBuffer of their own, which the document retains. */
export function decodeDocument(bytes: Buffer): RdfDocument {
  let at = 0;
  const words = (count: number): Uint32Array => {
    const start = at;
    at += count * WORD_BYTES;
    return new Uint32Array(bytes.buffer, bytes.byteOffset + start, count);
  };
  const text = (length: number): Buffer => bytes.subarray(at, (at += length));
  const [termBytes = 0, offsetCount = 0, rowCount = 0, bodyCount = 0] = words(4);
  const offsets = words(offsetCount);
  const rows = words(rowCount);
  const lengths = words(bodyCount);
  const quads = { terms: text(termBytes), offsets, rows };
  const hashes = Array.from(lengths, () => text(HASH_BYTES).toString("hex") as Hash);
  // The hashes are not recomputed, because that would block the event loop.
  const bodies = new Map(hashes.map((hash, index) => [hash, text(lengths[index] ?? 0)]));
  assert(at === bytes.length, "the document has the bytes that it says");
  return { quads, bodies };
}
