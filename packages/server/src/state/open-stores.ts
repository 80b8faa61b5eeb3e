import { BlockCache } from "./block-cache.js";
import type { BlockStore, BlockStores } from "./ports.js";

/** Stores that are kept open while nobody uses them. */
const IDLE_STORES_MAX = 8;
/** Bytes of nodes kept ready for each open store. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** An organization's store in use. */
export interface OpenStore {
  readonly store: BlockStore;
  readonly blocks: BlockCache;
}

interface Opened extends OpenStore {
  users: number;
}

/** Opens stores when they are used, and closes those that were not used for the longest time. */
export class OpenStores implements Disposable {
  readonly #stores: BlockStores;
  /** The least recently used first. */
  readonly #open = new Map<string, Opened>();

  constructor(stores: BlockStores) {
    this.#stores = stores;
  }

  /** Uses a store. @returns undefined when there is none and none is to be made. */
  acquire(orgId: string, create: boolean): (OpenStore & Disposable) | undefined {
    const opened = this.#open.get(orgId) ?? this.#openOne(orgId, create);
    if (opened === undefined) return undefined;
    opened.users += 1;
    this.#open.delete(orgId);
    this.#open.set(orgId, opened);
    const release = (): void => {
      opened.users -= 1;
      this.#closeIdle();
    };
    return { store: opened.store, blocks: opened.blocks, [Symbol.dispose]: release };
  }

  [Symbol.dispose](): void {
    for (const { store } of this.#open.values()) store[Symbol.dispose]();
    this.#open.clear();
  }

  #openOne(orgId: string, create: boolean): Opened | undefined {
    const store = this.#stores.open(orgId, create);
    return store && { store, blocks: new BlockCache(store, CACHE_BYTES), users: 0 };
  }

  #closeIdle(): void {
    for (const [orgId, { store, users }] of this.#open) {
      if (this.#open.size <= IDLE_STORES_MAX) return;
      if (users > 0) continue;
      this.#open.delete(orgId);
      store[Symbol.dispose]();
    }
  }
}
