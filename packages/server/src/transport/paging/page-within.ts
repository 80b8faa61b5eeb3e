import { orderedObject } from "@steward/client";

/** How much of a list one answer holds. */
export interface PageBounds {
  /** Index of the first item. */
  readonly offset: number;
  readonly itemsMax: number;
  /** Bytes of all items as JSON. */
  readonly bytesMax: number;
}

/** A part of a list, and where the next part begins. */
export interface BoundedPage<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextOffset?: number;
  /** Indexes of the items whose long texts were cut, because one item alone was over the limit. */
  readonly cutItems: readonly number[];
}

/** How the items of a list are measured, and shortened when one alone is too large. */
export interface ItemForm<Item> {
  readonly bytesOf: (item: Item) => number;
  readonly shortened: (item: Item, bytesMax: number) => Item;
}

/** As many items as fit. A page has at least one item, whose long texts are cut when it alone is too large. */
export function pageWithin<Item>(
  list: readonly Item[],
  { offset, itemsMax, bytesMax }: PageBounds,
  { bytesOf, shortened }: ItemForm<Item> = { bytesOf: jsonBytes, shortened: withShortTexts },
): BoundedPage<Item> {
  const items: Item[] = [];
  const cutItems: number[] = [];
  let bytes = 0;
  let index = offset;
  for (; index < list.length && items.length < itemsMax; index += 1) {
    // The index is within the list.
    const item = list[index] as Item;
    const size = bytesOf(item);
    if (bytes + size > bytesMax && items.length > 0) break;
    if (size > bytesMax) cutItems.push(index);
    items.push(size > bytesMax ? shortened(item, bytesMax) : item);
    bytes += size;
  }
  return { items, cutItems, ...(index < list.length ? { nextOffset: index } : {}) };
}

/** Bytes of a value as JSON in UTF-8. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** An object whose fields have an equal share of the bytes; a text is cut to its share. */
export function withShortTexts<Item>(item: Item, bytesMax: number): Item {
  if (typeof item === "string") {
    // A text stays a text.
    return cutText(item, bytesMax) as Item;
  }
  if (typeof item !== "object" || item === null) return item;
  const fields = Object.entries(item);
  const share = Math.floor(bytesMax / fields.length);
  // The names of the fields stay; a value that is no text becomes one where it is too large.
  return orderedObject(fields.map(([name, value]) => [name, shortValue(value, share)])) as Item;
}

function shortValue(value: unknown, bytesMax: number): unknown {
  if (jsonBytes(value) <= bytesMax) return value;
  return cutText(typeof value === "string" ? value : JSON.stringify(value), bytesMax);
}

/** A JSON text has up to six bytes for a character, so that a sixth of the bytes always fits. */
function cutText(text: string, bytesMax: number): string {
  const kept = text.slice(0, Math.floor(bytesMax / 6));
  return `${kept.replace(/[\ud800-\udbff]$/, "")}… (cut, ${String(text.length)} characters)`;
}
