/**
 * Reads an HTTP response's body as text.
 * @param bytesMax limit of the body; the rest is not read.
 * @returns `undefined` when the body is larger.
 */
export async function limitedText(
  response: Response,
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // In Node a body is iterable, which the DOM's types lack.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
