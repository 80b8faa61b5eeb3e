/** The longest prefix of a text within the limit, without a partial character. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  return new TextDecoder("utf-8").decode(bytes.subarray(0, bytesMax), { stream: true });
}
