import { BlockCache } from "./block-cache.js";
import type { BlockStore, OpenStore } from "./ports.js";

/** Stores that are kept open while nobody uses them. */
const IDLE_STORES_MAX = 8;
/** Bytes of nodes kept ready for each open store. */
const CACHE_BYTES = 8 * 1024 * 1024;

interface Opened extends OpenStore {
  users: number;
  /** Whether nobody shall use it any more, so that the last user closes it. */
  isForgotten: boolean;
}

/** Keeps stores open between uses, and closes those that were not used for the longest time. */
export class OpenStores implements Disposable {
  /** The least recently used first. */
  readonly #open = new Map<string, Opened>();

  /** Uses a store that is open; undefined when it is not. */
  acquire(key: string): (OpenStore & Disposable) | undefined {
    const opened = this.#open.get(key);
    return opened && this.#use(key, opened);
  }

  /** Keeps a store that was just opened, and uses it. */
  add(key: string, store: BlockStore): OpenStore & Disposable {
    return this.#use(key, {
      store,
      blocks: new BlockCache(store, CACHE_BYTES),
      users: 0,
      isForgotten: false,
    });
  }

  /** A store that is open, without using it. */
  peek(key: string): BlockStore | undefined {
    return this.#open.get(key)?.store;
  }

  /** Has a store closed when nobody uses it any more. */
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
