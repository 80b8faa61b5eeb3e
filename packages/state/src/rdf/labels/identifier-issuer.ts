/** Numbers nodes in the order of first use (RDFC-1.0 §4.5). Numbers can be withdrawn. */
export class IdentifierIssuer {
  /** The nodes in the order of their numbers. */
  readonly #nodes: number[] = [];
  readonly #numbers = new Map<number, number>();

  /** Number of numbered nodes. */
  get size(): number {
    return this.#nodes.length;
  }

  numberOf(node: number): number | undefined {
    return this.#numbers.get(node);
  }

  /** Assigns the next number to the node, unless it has one. */
  issue(node: number): void {
    if (this.#numbers.has(node)) return;
    this.#numbers.set(node, this.#nodes.length);
    this.#nodes.push(node);
  }

  /** The nodes with this number and with higher ones. */
  issuedFrom(size: number): readonly number[] {
    return this.#nodes.slice(size);
  }

  /** Withdraws this number and all higher ones. */
  revert(size: number): void {
    for (const node of this.#nodes.splice(size)) this.#numbers.delete(node);
  }
}
