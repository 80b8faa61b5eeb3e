import { assert } from "../kernel/assert.js";
import { KeyedMutex } from "../kernel/keyed-mutex.js";
import { BlockCache } from "./block-cache.js";
import type { Fault } from "./fsck.js";
import type { Collection } from "./garbage.js";
import { MemoryBlockStore } from "./memory-block-store.js";
import { OpenStores } from "./open-stores.js";
import type { BlockStores, OpenStore, Repositories, StateUpkeep } from "./ports.js";

/** Repositories that this process has to itself. What is written for one organization is written in turns. */
export class OwnRepositories implements Repositories {
  readonly #stores: BlockStores;
  readonly #upkeep: StateUpkeep;
  readonly #open = new OpenStores();
  readonly #mutex = new KeyedMutex();

  constructor(stores: BlockStores, upkeep: StateUpkeep) {
    this.#stores = stores;
    this.#upkeep = upkeep;
  }

  lend(orgId: string): Promise<OpenStore & Disposable> {
    return attempt(() => this.#acquire(orgId, false) ?? emptyStore());
  }

  async read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    using opened = await this.lend(orgId);
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

  /** Writers wait meanwhile, so that no ref is set to what is about to be deleted. */
  collect(orgId: string): Promise<Collection> {
    return this.#mutex.runExclusive(orgId, () => this.#upkeep.collect(orgId));
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

/** What an organization has that has never kept anything. */
export function emptyStore(): OpenStore & Disposable {
  const store = new MemoryBlockStore({ nowMs: () => 0 });
  return { store, blocks: new BlockCache(store), [Symbol.dispose]: () => undefined };
}

/** A failure at once is a rejection too. */
function attempt<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
