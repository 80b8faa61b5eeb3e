/** A union-find structure. Initially each number is a set of its own. */
export class DisjointSets {
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.#parents = new Int32Array(size);
    for (let number = 0; number < size; number++) this.#parents[number] = number;
  }

  /** The representative of the number's set, which is its smallest member. */
  find(number: number): number {
    const parents = this.#parents;
    let at = number;
    for (let parent = parents[at] ?? at; parent !== at; parent = parents[at] ?? at) {
      // Path halving: every second number on the path is linked to its grandparent.
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
