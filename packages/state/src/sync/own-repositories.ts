import { assert } from "@steward/kernel/assert.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { BlockCache } from "../tree/block-cache.js";
import type { Fault } from "../upkeep/fsck.js";
import type { Collection } from "../upkeep/garbage.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { OpenStores } from "./open-stores.js";
import type { BlockStores, OpenStore, Repositories, StateErasure, StateUpkeep } from "../ports.js";

/**
 * Repositories that only this process uses. Writes for one organization run one after the other.
 */
export class OwnRepositories implements Repositories, StateErasure {
  readonly #stores: BlockStores;
  readonly #upkeep: StateUpkeep;
  readonly #open = new OpenStores();
  readonly #mutex = new KeyedMutex();

  constructor(stores: BlockStores, upkeep: StateUpkeep) {
    this.#stores = stores;
    this.#upkeep = upkeep;
  }

  acquire(orgId: string): Promise<OpenStore & Disposable> {
    return attempt(() => this.#acquire(orgId, false) ?? emptyStore());
  }

  async read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    using opened = await this.acquire(orgId);
    return await work(opened);
  }

  write<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(orgId, async () => {
      using opened = this.#acquire(orgId, true);
      assert(opened !== undefined, "a store that is to be made is there");
      return await work(opened);
    });
  }

  check(orgId: string): Promise<readonly Fault[]> {
    return this.#upkeep.check(orgId);
  }

  /** Writers wait, so that no ref is moved to a block that is about to be deleted. */
  collect(orgId: string): Promise<Collection> {
    return this.#mutex.runExclusive(orgId, () => this.#upkeep.collect(orgId));
  }

  /** Readers that have begun read on in the store that they have open. */
  erase(orgId: string): Promise<boolean> {
    return this.#mutex.runExclusive(orgId, () => {
      this.#open.forget(orgId);
      return attempt(() => this.#stores.discard(orgId));
    });
  }

  due(): Promise<readonly string[]> {
    return attempt(() => this.#stores.organizations());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mutex[Symbol.asyncDispose]();
    await this.#upkeep[Symbol.asyncDispose]();
    this.#open[Symbol.dispose]();
  }

  #acquire(orgId: string, create: boolean): (OpenStore & Disposable) | undefined {
    const opened = this.#open.acquire(orgId);
    if (opened !== undefined) return opened;
    const store = this.#stores.open(orgId, create);
    return store && this.#open.add(orgId, store);
  }
}

/** The store of an organization without any state. */
export function emptyStore(): OpenStore & Disposable {
  const store = new MemoryBlockStore({ nowMs: () => 0 });
  return { store, blocks: new BlockCache(store), [Symbol.dispose]: () => undefined };
}

/** Turns a synchronous exception into a rejection. */
function attempt<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
