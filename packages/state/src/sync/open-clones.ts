import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { hashOf, type Hash } from "../blocks/hash.js";
import { OpenStores } from "./open-stores.js";
import type { BlockStore, Clones, OpenStore, OriginRefs, OriginSync } from "../ports.js";
import { pull } from "./pull.js";

/**
 * Blocks deleted from the origin before clones are recreated. Until then, a clone retains blocks
 * that the origin has deleted.
 */
export const GENERATION_BLOCKS = 20_000;

/** A clone with all blocks reachable from its origin's refs. */
export interface Checkout extends OpenStore, Disposable {
  readonly refs: OriginRefs;
}

/** Keeps this node's clones up to date. */
export class OpenClones implements AsyncDisposable {
  readonly #origin: OriginSync;
  readonly #clones: Clones;
  readonly #open = new OpenStores();
  readonly #pulls = new KeyedMutex();
  /** For each open clone its generation, and the refs as of which it is complete. */
  readonly #states = new WeakMap<BlockStore, { readonly generation: number; refs?: OriginRefs }>();

  constructor(origin: OriginSync, clones: Clones) {
    this.#origin = origin;
    this.#clones = clones;
  }

  /**
   * The organization's clone, updated to the origin's refs; undefined when the organization has no
   * state.
   */
  async checkout(orgId: string): Promise<Checkout | undefined> {
    const known = this.#open.peek(orgId);
    const refs = await this.#origin.refs(orgId, known && this.#states.get(known)?.refs);
    if (refs === undefined) return undefined;
    const opened = this.#acquire(orgId, generationOf(refs));
    try {
      await this.#complete(orgId, opened.store, refs);
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
    return { ...opened, refs, [Symbol.dispose]: () => opened[Symbol.dispose]() };
  }

  /**
   * Fetches commits that no ref leads to.
   * @returns whether the origin has any of them.
   */
  async bring(orgId: string, { store }: OpenStore, commits: readonly Hash[]): Promise<boolean> {
    return this.#pulls.runExclusive(orgId, async () => {
      await pull(this.#origin, orgId, store, commits);
      return commits.some((hash) => store.has(hash));
    });
  }

  /** Whether the origin's copy of a block is intact. */
  async isSound(orgId: string, hash: Hash): Promise<boolean> {
    const bytes = (await this.#origin.blocks(orgId, [hash])).blocks.get(hash);
    return bytes !== undefined && hashOf(bytes) === hash;
  }

  /** Deletes a clone; the next checkout creates a new one. */
  discard(orgId: string): void {
    this.#open.forget(orgId);
    this.#clones.discard(orgId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pulls[Symbol.asyncDispose]();
    this.#open[Symbol.dispose]();
  }

  #acquire(orgId: string, generation: number): OpenStore & Disposable {
    const known = this.#open.peek(orgId);
    if (known !== undefined && this.#states.get(known)?.generation !== generation) {
      this.#open.forget(orgId);
    }
    const opened = this.#open.acquire(orgId);
    if (opened !== undefined) return opened;
    const store = this.#clones.open(orgId, generation);
    this.#states.set(store, { generation });
    return this.#open.add(orgId, store);
  }

  async #complete(orgId: string, store: BlockStore, refs: OriginRefs): Promise<void> {
    await this.#pulls.runExclusive(orgId, async () => {
      const state = this.#states.get(store);
      if (state === undefined || state.refs?.version === refs.version) return;
      await pull(
        this.#origin,
        orgId,
        store,
        refs.refs.map(({ commit }) => commit),
      );
      state.refs = refs;
    });
  }
}

/** The generation of a clone, which is part of its file name. */
export function generationOf({ swept }: OriginRefs): number {
  return Math.floor(swept / GENERATION_BLOCKS);
}
