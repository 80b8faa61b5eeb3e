/**
 * How many characters a value has as JSON, not counting the escapes of its texts. It makes no text and
 * allocates nothing, so it may be asked of every answer.
 * @param most from which size on the value is not looked at further.
 */
export function jsonSize(value: unknown, most: number = Infinity): number {
  if (typeof value === "string") return value.length + 2;
  // A number, a boolean or null.
  if (typeof value !== "object" || value === null) return 5;
  // The binary value of a message.
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let size = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size < most; index += 1) {
      size += jsonSize(value[index], most - size) + 1;
    }
    return size;
  }
  for (const name in value) {
    if (size >= most) break;
    size += name.length + 4 + jsonSize(Reflect.get(value, name), most - size);
  }
  return size;
}

/** The first items of a list that together have at most so many characters of JSON, and at least one item. */
export function firstWithin<Item>(items: readonly Item[], most: number): readonly Item[] {
  let size = 0;
  for (const [index, item] of items.entries()) {
    size += jsonSize(item, most) + 1;
    if (size > most && index > 0) return items.slice(0, index);
  }
  return items;
}
