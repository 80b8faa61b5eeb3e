/**
 * How many of several concurrent slots one party may occupy: all but one, so that one party's
 * endless work does not starve the others.
 */
export function slotsPerParty(slotsMax: number): number {
  return Math.max(1, slotsMax - 1);
}

/**
 * A queue that serves parties round-robin, one item of each, so that a party with many items does
 * not delay the others.
 * @typeParam Item the queued items.
 */
export class FairQueue<Item> {
  readonly #partyMax: number;
  /**
   * Queued items by party, in the order in which the parties are served. A party without items has
   * no entry.
   */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  /** @param partyMax limit of queued items per party. */
  constructor(partyMax: number) {
    this.#partyMax = partyMax;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends an item to its party's queue.
   * @returns false when that queue is full.
   */
  push(party: string, item: Item): boolean {
    const items = this.#itemsOf(party);
    if (items.length >= this.#partyMax) return false;
    items.push(item);
    this.#size += 1;
    return true;
  }

  /**
   * Returns items that were taken to the front of their party's queue. The party is next: otherwise one
   * whose items are taken and returned again and again would never be served.
   */
  putBack(party: string, items: readonly Item[]): void {
    if (items.length === 0) return;
    const later = [...this.#waiting];
    this.#waiting.clear();
    this.#itemsOf(party).push(...items);
    for (const [other, theirs] of later) this.#itemsOf(other).push(...theirs);
    this.#size += items.length;
  }

  /**
   * Moves a party whose work has ended to the end of the round: those that have come while it was
   * served precede it.
   */
  endTurn(party: string): void {
    const items = this.#waiting.get(party);
    if (items === undefined) return;
    this.#waiting.delete(party);
    this.#waiting.set(party, items);
  }

  /** Takes the next item of the first party for which `mayHaveTurn` answers true. */
  take(mayHaveTurn: (party: string) => boolean): Item | undefined {
    for (const [party, items] of this.#waiting) {
      if (!mayHaveTurn(party)) continue;
      const item = items.shift();
      this.#waiting.delete(party);
      // The party moves to the end of the round.
      if (items.length > 0) this.#waiting.set(party, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes an item from its party's queue. */
  remove(party: string, item: Item): void {
    const items = this.#waiting.get(party);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) this.#waiting.delete(party);
  }

  /** Removes and returns all items. */
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
