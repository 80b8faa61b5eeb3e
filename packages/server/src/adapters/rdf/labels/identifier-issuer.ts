/** Gives nodes numbers in the order in which they are first asked for (RDFC-1.0 §4.5), and can take them back. */
export class IdentifierIssuer {
  /** The nodes in the order of their numbers. */
  readonly #nodes: number[] = [];
  readonly #numbers = new Map<number, number>();

  /** How many nodes have a number. */
  get size(): number {
    return this.#nodes.length;
  }

  numberOf(node: number): number | undefined {
    return this.#numbers.get(node);
  }

  /** Gives the node the next number, unless it has one. */
  issue(node: number): void {
    if (this.#numbers.has(node)) return;
    this.#numbers.set(node, this.#nodes.length);
    this.#nodes.push(node);
  }

  /** The nodes with this number and those behind it. */
  issuedFrom(size: number): readonly number[] {
    return this.#nodes.slice(size);
  }

  /** Takes the numbers back from this one on. */
  revert(size: number): void {
    for (const node of this.#nodes.splice(size)) this.#numbers.delete(node);
  }
}
