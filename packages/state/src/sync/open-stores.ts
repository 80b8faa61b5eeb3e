import { BlockCache } from "../tree/block-cache.js";
import type { BlockStore, OpenStore } from "../ports.js";

/** Idle stores that are kept open. */
const IDLE_STORES_MAX = 8;
/** Size of the node cache of each open store, in bytes. */
const CACHE_BYTES = 8 * 1024 * 1024;

interface Opened extends OpenStore {
  users: number;
  /** Whether the store was released for good, so that its last user closes it. */
  isForgotten: boolean;
}

/** A pool of open stores, which closes the least recently used. */
export class OpenStores implements Disposable {
  /** Open stores, the least recently used first. */
  readonly #open = new Map<string, Opened>();

  /** Acquires a store from the pool; undefined when it is not open. */
  acquire(key: string): (OpenStore & Disposable) | undefined {
    const opened = this.#open.get(key);
    return opened && this.#use(key, opened);
  }

  /** Adds a newly opened store to the pool and acquires it. */
  add(key: string, store: BlockStore): OpenStore & Disposable {
    return this.#use(key, {
      store,
      blocks: new BlockCache(store, CACHE_BYTES),
      users: 0,
      isForgotten: false,
    });
  }

  /** An open store, without acquiring it. */
  peek(key: string): BlockStore | undefined {
    return this.#open.get(key)?.store;
  }

  /** Removes a store from the pool; it is closed when its last user releases it. */
  forget(key: string): void {
    const opened = this.#open.get(key);
    if (opened === undefined) return;
    this.#open.delete(key);
    opened.isForgotten = true;
    closeUnused(opened);
  }

  [Symbol.dispose](): void {
    for (const { store } of this.#open.values()) store[Symbol.dispose]();
    this.#open.clear();
  }

  #use(key: string, opened: Opened): OpenStore & Disposable {
    opened.users += 1;
    this.#open.delete(key);
    this.#open.set(key, opened);
    const release = (): void => {
      opened.users -= 1;
      if (opened.isForgotten) closeUnused(opened);
      else this.#closeIdle();
    };
    return { store: opened.store, blocks: opened.blocks, [Symbol.dispose]: release };
  }

  #closeIdle(): void {
    for (const [key, { store, users }] of this.#open) {
      if (this.#open.size <= IDLE_STORES_MAX) return;
      if (users > 0) continue;
      this.#open.delete(key);
      store[Symbol.dispose]();
    }
  }
}

function closeUnused({ store, users }: Opened): void {
  if (users === 0) store[Symbol.dispose]();
}
