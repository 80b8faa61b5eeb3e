/**
 * The body of an HTTP answer as text.
 * @param bytesMax more than any right answer has: the rest is not read.
 * @returns `undefined` when there are more bytes.
 */
export async function limitedText(
  response: Response,
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The DOM's types do not say that a body can be iterated; on Node it can.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
