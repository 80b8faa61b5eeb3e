/** Sets of numbers that have no number in common: at first each number has its own, and sets can be united. */
export class DisjointSets {
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.#parents = new Int32Array(size);
    for (let number = 0; number < size; number++) this.#parents[number] = number;
  }

  /** The number that stands for the set of this one: the smallest of the set. */
  find(number: number): number {
    const parents = this.#parents;
    let at = number;
    for (let parent = parents[at] ?? at; parent !== at; parent = parents[at] ?? at) {
      // Path halving: every second number on the way is put closer to the top.
      const above = parents[parent] ?? parent;
      parents[at] = above;
      at = above;
    }
    return at;
  }

  unite(a: number, b: number): void {
    const [x, y] = [this.find(a), this.find(b)];
    this.#parents[Math.max(x, y)] = Math.min(x, y);
  }
}
