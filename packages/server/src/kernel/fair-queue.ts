/**
 * How many of several turns one party may have at once: all but one, so that endless work of one party does not keep
 * all others out.
 */
export function turnsOfOneParty(turnsMax: number): number {
  return Math.max(1, turnsMax - 1);
}

/**
 * What waits, in turns by party: one of each, round after round, so that nobody waits longer because somebody else
 * asks for a lot.
 * @typeParam Item what waits.
 */
export class FairQueue<Item> {
  readonly #partyMax: number;
  /** By party, in the order in which they have their turns; nobody without an item. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  /** @param partyMax items of one party that may wait. */
  constructor(partyMax: number) {
    this.#partyMax = partyMax;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item behind the others of its party. @returns false when as many of them wait as may. */
  push(party: string, item: Item): boolean {
    const items = this.#itemsOf(party);
    if (items.length >= this.#partyMax) return false;
    items.push(item);
    this.#size += 1;
    return true;
  }

  /** Puts back items that were taken, before the others of their party. */
  putBack(party: string, items: readonly Item[]): void {
    if (items.length === 0) return;
    this.#itemsOf(party).unshift(...items);
    this.#size += items.length;
  }

  /** Takes the next item, of a party that may have its turn now. */
  take(mayHaveTurn: (party: string) => boolean): Item | undefined {
    for (const [party, items] of this.#waiting) {
      if (!mayHaveTurn(party)) continue;
      const item = items.shift();
      this.#waiting.delete(party);
      // Its next turn comes after everybody else's.
      if (items.length > 0) this.#waiting.set(party, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes an item, wherever it waits. */
  remove(party: string, item: Item): void {
    const items = this.#waiting.get(party);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) this.#waiting.delete(party);
  }

  /** Takes everything. */
  drain(): readonly Item[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return items;
  }

  #itemsOf(party: string): Item[] {
    const found = this.#waiting.get(party);
    if (found !== undefined) return found;
    const items: Item[] = [];
    this.#waiting.set(party, items);
    return items;
  }
}
