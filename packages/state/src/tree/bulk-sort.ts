/** Size below which insertion sort is faster. */
const INSERTION_SIZE_MAX = 12;

/**
 * Sorts byte strings stored consecutively in a buffer; none is a prefix of another. Uses three-way
 * radix quicksort (Bentley and Sedgewick 1997), which examines common prefixes once instead of in
 * every comparison.
 * @param offsets the start of each string, and the end of the last one.
 * @returns the strings' numbers in ascending order.
 */
export function sortByBytes(buffer: Buffer, offsets: Uint32Array, size: number): Uint32Array {
  const order = identity(size);
  sortRange(new Strings(buffer, offsets, order), 0, size, 0);
  return order;
}

/** The numbers from 0 to `size` - 1. */
export function identity(size: number): Uint32Array {
  const places = new Uint32Array(size);
  for (let index = 0; index < size; index++) places[index] = index;
  return places;
}

class Strings {
  readonly order: Uint32Array;
  readonly #buffer: Buffer;
  readonly #offsets: Uint32Array;

  constructor(buffer: Buffer, offsets: Uint32Array, order: Uint32Array) {
    this.#buffer = buffer;
    this.#offsets = offsets;
    this.order = order;
  }

  /** The byte at this depth of a string; -1 after its end. */
  byteAt(index: number, depth: number): number {
    const id = this.order[index] ?? 0;
    const at = (this.#offsets[id] ?? 0) + depth;
    return at < (this.#offsets[id + 1] ?? 0) ? (this.#buffer[at] ?? 0) : -1;
  }

  swap(a: number, b: number): void {
    const id = this.order[a] ?? 0;
    this.order[a] = this.order[b] ?? 0;
    this.order[b] = id;
  }

  isLess(a: number, b: number, from: number): boolean {
    for (let depth = from; ; depth++) {
      const [x, y] = [this.byteAt(a, depth), this.byteAt(b, depth)];
      if (x !== y) return x < y;
      if (x === -1) return false;
    }
  }
}

function sortRange(strings: Strings, start: number, end: number, from: number): void {
  let low = start;
  let high = end;
  let depth = from;
  while (high - low > INSERTION_SIZE_MAX) {
    const pivot = median(strings, low, (low + high) >>> 1, high - 1, depth);
    const [equalFrom, equalTo] = partition(strings, low, high, depth, pivot);
    sortRange(strings, low, equalFrom, depth);
    sortRange(strings, equalTo, high, depth);
    if (pivot === -1) return;
    low = equalFrom;
    high = equalTo;
    depth += 1;
  }
  for (let index = low + 1; index < high; index++) {
    for (let at = index; at > low && strings.isLess(at, at - 1, depth); at--) {
      strings.swap(at, at - 1);
    }
  }
}

function median(strings: Strings, a: number, b: number, c: number, depth: number): number {
  const [x, y, z] = [a, b, c].map((index) => strings.byteAt(index, depth)) as [
    number,
    number,
    number,
  ];
  return Math.max(Math.min(x, y), Math.min(Math.max(x, y), z));
}

/**
 * Partitions the strings by their byte at one depth: smaller, equal, larger.
 * @returns the range of the equal ones.
 */
function partition(
  strings: Strings,
  low: number,
  high: number,
  depth: number,
  pivot: number,
): readonly [from: number, to: number] {
  let from = low;
  let to = high;
  for (let index = low; index < to;) {
    const byte = strings.byteAt(index, depth);
    if (byte < pivot) strings.swap(from++, index++);
    else if (byte > pivot) strings.swap(index, --to);
    else index += 1;
  }
  return [from, to];
}

/**
 * Most bits of a digit. With more, a pass writes to more positions than fit into the processor's
 * cache.
 */
const DIGIT_BITS_MAX = 11;

/**
 * Sorts rows of four numbers by several columns: a stable radix sort, the least significant column
 * first.
 * @param columns the columns, the most significant first.
 * @param limit exclusive upper bound of all numbers.
 * @param from indices of the rows; rows that are equal in all columns keep this order.
 * @returns the rows' indices in ascending order.
 */
export function sortRows(
  rows: Uint32Array,
  columns: readonly number[],
  limit: number,
  from: Uint32Array,
): Uint32Array {
  let now: Keyed = { places: Uint32Array.from(from), keys: new Uint32Array(from.length) };
  let next: Keyed = { places: new Uint32Array(from.length), keys: new Uint32Array(from.length) };
  const limitBits = 32 - Math.clz32(limit);
  const digits = Math.ceil(limitBits / DIGIT_BITS_MAX);
  const bits = Math.ceil(limitBits / digits);
  for (const column of [...columns].reverse()) {
    gather(rows, column, now);
    for (let digit = 0; digit < digits; digit++) {
      if (!sortDigit(now, next, digit * bits, bits)) continue;
      [now, next] = [next, now];
    }
  }
  return now.places;
}

/** Row indices, and the number by which each row is sorted. */
interface Keyed {
  readonly places: Uint32Array;
  readonly keys: Uint32Array;
}

function gather(rows: Uint32Array, column: number, { places, keys }: Keyed): void {
  for (let index = 0; index < places.length; index++) {
    keys[index] = rows[4 * (places[index] ?? 0) + column] ?? 0;
  }
}

/**
 * One stable pass.
 * @returns false when all digits are equal and nothing was moved.
 */
function sortDigit(from: Keyed, to: Keyed, shift: number, bits: number): boolean {
  const { places, keys } = from;
  const mask = 2 ** bits - 1;
  const starts = new Uint32Array(mask + 2);
  for (const key of keys) {
    const after = ((key >>> shift) & mask) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  if (starts.includes(keys.length, 1)) return false;
  for (let index = 1; index <= mask; index++) {
    starts[index] = (starts[index] ?? 0) + (starts[index - 1] ?? 0);
  }
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? 0;
    const digit = (key >>> shift) & mask;
    const at = starts[digit] ?? 0;
    to.keys[at] = key;
    to.places[at] = places[index] ?? 0;
    starts[digit] = at + 1;
  }
  return true;
}
