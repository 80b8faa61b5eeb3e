/** Marks a place that is free. */
const FREE = -1;

/** Places of a new table; always a power of two. */
const PLACES_INITIAL = 64;

/**
 * A hash table of slots: open addressing with linear probing over 32-bit integers. Half a million
 * entries in a `Map` would take ten times the memory. The table stores no keys. It asks its owner
 * for the hash of the entry in a slot, and whether the entry in a slot equals a given one.
 */
export class SlotTable {
  readonly #hashOf: (slot: number) => number;
  #places: Int32Array = newPlaces(PLACES_INITIAL);
  #count = 0;

  /** @param hashOf the hash of the entry in a slot, an unsigned 32-bit integer. */
  constructor(hashOf: (slot: number) => number) {
    this.#hashOf = hashOf;
  }

  /** The slot with this hash that matches, or `undefined`. */
  find(hash: number, matches: (slot: number) => boolean): number | undefined {
    for (let place = this.#home(hash); ; place = this.#next(place)) {
      const slot = this.#at(place);
      if (slot === FREE) return undefined;
      if (matches(slot)) return slot;
    }
  }

  /** Adds a slot that is not in the table. */
  add(slot: number): void {
    if (2 * (this.#count + 1) > this.#places.length) this.#grow();
    this.#put(slot);
    this.#count += 1;
  }

  /** Removes a slot that is in the table. */
  remove(slot: number): void {
    let hole = this.#placeOf(slot);
    // Closes the gap: a later slot that linear probing had pushed past the hole moves into it.
    for (let place = this.#next(hole); ; place = this.#next(place)) {
      const other = this.#at(place);
      if (other === FREE) break;
      if (this.#distance(this.#homeOf(other), place) < this.#distance(hole, place)) continue;
      this.#places[hole] = other;
      hole = place;
    }
    this.#places[hole] = FREE;
    this.#count -= 1;
  }

  #grow(): void {
    const slots = this.#places.filter((slot) => slot !== FREE);
    this.#places = newPlaces(this.#places.length * 2);
    for (const slot of slots) this.#put(slot);
  }

  #put(slot: number): void {
    let place = this.#homeOf(slot);
    while (this.#at(place) !== FREE) place = this.#next(place);
    this.#places[place] = slot;
  }

  #placeOf(slot: number): number {
    let place = this.#homeOf(slot);
    while (this.#at(place) !== slot) place = this.#next(place);
    return place;
  }

  #homeOf(slot: number): number {
    return this.#home(this.#hashOf(slot));
  }

  #home(hash: number): number {
    return hash & (this.#places.length - 1);
  }

  #next(place: number): number {
    return (place + 1) & (this.#places.length - 1);
  }

  /** Steps forward from one place to another. */
  #distance(from: number, to: number): number {
    return (to - from) & (this.#places.length - 1);
  }

  #at(place: number): number {
    return this.#places[place] ?? FREE;
  }
}

function newPlaces(length: number): Int32Array {
  return new Int32Array(length).fill(FREE);
}
