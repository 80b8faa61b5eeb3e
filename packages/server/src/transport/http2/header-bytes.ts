/** Overhead of a header field beside its name and value, in bytes (RFC 9113 §6.5.2). */
const FIELD_OVERHEAD_BYTES = 32;

/**
 * The size of a request's headers by HTTP/2's definition. @param rawHeaders Names and values in
 * turn.
 */
export function headerBytes(rawHeaders: readonly string[]): number {
  const overhead = (rawHeaders.length / 2) * FIELD_OVERHEAD_BYTES;
  return rawHeaders.reduce((size, text) => size + text.length, overhead);
}
