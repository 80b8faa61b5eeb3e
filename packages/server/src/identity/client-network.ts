/**
 * An IPv4 address, or the first 64 bits of an IPv6 address, which usually belong to one subscriber.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = ""] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
