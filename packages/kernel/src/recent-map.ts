import { LRUCache } from "lru-cache";

/** A least-recently-used cache with a limit of entries. */
export class RecentMap<Value extends object | boolean | number> extends LRUCache<string, Value> {
  constructor(entriesMax: number) {
    super({ max: entriesMax });
  }

  /** The value of this key; `make` is called when it is not cached. */
  getOrMake(key: string, make: () => Value): Value {
    const found = this.get(key);
    if (found !== undefined) return found;
    const value = make();
    this.set(key, value);
    return value;
  }
}
