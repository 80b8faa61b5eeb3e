/** Below so many, insertion is the faster sort. */
const INSERTION_SIZE_MAX = 12;

/**
 * Ranks byte strings that stand one behind the other in a buffer, none of which begins another.
 * Three-way radix quicksort (Bentley and Sedgewick 1997): what strings have in common at their beginning is
 * looked at once, not at every comparison.
 * @param offsets where each begins, and behind the last one its end.
 * @returns the rank of each.
 */
export function sortByBytes(buffer: Buffer, offsets: Uint32Array, size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let index = 0; index < size; index++) order[index] = index;
  sortRange(new Strings(buffer, offsets, order), 0, size, 0);
  const ranks = new Uint32Array(size);
  for (let rank = 0; rank < size; rank++) ranks[order[rank] ?? 0] = rank;
  return ranks;
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

  /** The byte at this depth of the string that stands here in the order; -1 behind its end. */
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

/** Puts what is smaller than the pivot before, what is larger behind. @returns where the equal stand. */
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

const RADIX_BITS = 11;
const RADIX = 2 ** RADIX_BITS;

/**
 * Sorts rows of four term numbers by the ranks of their terms, column by column.
 * @param columns the columns, the most significant first.
 * @param from the rows' numbers; where rows have the same terms in all columns, they stay in this order.
 * @returns the rows' numbers in that order.
 */
export function rankOrder(
  rows: Uint32Array,
  columns: readonly number[],
  ranks: Uint32Array,
  rankCount: number,
  from: Uint32Array,
): Uint32Array {
  let order = Uint32Array.from(from);
  let other = new Uint32Array(from.length);
  for (const column of [...columns].reverse()) {
    for (let shift = 0; rankCount >>> shift > 0; shift += RADIX_BITS) {
      if (!sortDigit(rows, column, ranks, shift, order, other)) continue;
      [order, other] = [other, order];
    }
  }
  return order;
}

/** One stable pass. @returns false when all digits are the same, and nothing was moved. */
function sortDigit(
  rows: Uint32Array,
  column: number,
  ranks: Uint32Array,
  shift: number,
  from: Uint32Array,
  to: Uint32Array,
): boolean {
  const digit = (row: number): number =>
    ((ranks[rows[4 * row + column] ?? 0] ?? 0) >>> shift) & (RADIX - 1);
  const starts = new Uint32Array(RADIX + 1);
  for (const row of from) starts[digit(row) + 1] = (starts[digit(row) + 1] ?? 0) + 1;
  if (starts.includes(from.length, 1)) return false;
  for (let index = 1; index <= RADIX; index++) {
    starts[index] = (starts[index] ?? 0) + (starts[index - 1] ?? 0);
  }
  for (const row of from) {
    const value = digit(row);
    const at = starts[value] ?? 0;
    to[at] = row;
    starts[value] = at + 1;
  }
  return true;
}
