/** An item to be written, with the callbacks of its waiter. */
export interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** How groups are formed and written. */
export interface GroupCommitOptions<Item> {
  /** Maximum number of items in one write. */
  readonly batchMax: number;
  /** Maximum number of concurrent writes for one key. */
  readonly inFlightMax: number;
  /** Must settle every item, in every case. */
  readonly write: (key: string, items: readonly Waiting<Item>[]) => Promise<void>;
}

/** The items of one key. */
interface Lane<Item> {
  readonly waiting: Waiting<Item>[];
  inFlight: number;
  isScheduled: boolean;
}

/**
 * Group commit. Items of one key that arrive in the same turn of the event loop, or while the
 * maximum number of writes is in progress, are written together and share a round trip, locks and
 * an fsync.
 */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>;
  readonly #lanes = new Map<string, Lane<Item>>();

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
  }

  /** Settles like the write of the item. */
  add(key: string, item: Item): Promise<void> {
    const lane = this.#lanes.get(key) ?? { waiting: [], inFlight: 0, isScheduled: false };
    this.#lanes.set(key, lane);
    const written = new Promise<void>((resolve, reject) => {
      lane.waiting.push({ item, resolve, reject });
    });
    this.#pump(key, lane);
    return written;
  }

  #pump(key: string, lane: Lane<Item>): void {
    const { batchMax, inFlightMax, write } = this.#options;
    if (lane.isScheduled || lane.inFlight >= inFlightMax) return;
    if (lane.waiting.length === 0) {
      if (lane.inFlight === 0) this.#lanes.delete(key);
      return;
    }
    lane.isScheduled = true;
    setImmediate(() => {
      lane.isScheduled = false;
      lane.inFlight += 1;
      void write(key, lane.waiting.splice(0, batchMax)).finally(() => {
        lane.inFlight -= 1;
        this.#pump(key, lane);
      });
      this.#pump(key, lane);
    });
  }
}
