/** Something that is to be written, and who waits for it. */
export interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** How a group is made and written. */
export interface GroupCommitOptions<Item> {
  /** Items in one write, at most. */
  readonly batchMax: number;
  /** Writes under way at once for one key. */
  readonly inFlightMax: number;
  /** Settles every item, whatever happens. */
  readonly write: (key: string, items: readonly Waiting<Item>[]) => Promise<void>;
}

/** The items of one key. */
interface Lane<Item> {
  readonly waiting: Waiting<Item>[];
  inFlight: number;
  isScheduled: boolean;
}

/**
 * Group commit: items of one key that come in the same turn of the event loop, or while as many writes are
 * under way as may be, are written together, so that they share a round trip, locks and an fsync.
 */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>;
  readonly #lanes = new Map<string, Lane<Item>>();

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
  }

  /** Resolves or rejects as the write of the item does. */
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
