import { KeyedMutex } from "../kernel/keyed-mutex.js";
import { hashOf, type Hash } from "./hash.js";
import { OpenStores } from "./open-stores.js";
import type { BlockStore, Clones, OpenStore, Origin, OriginRefs } from "./ports.js";
import { pull } from "./pull.js";

/**
 * Blocks that the origin sweeps before clones are begun anew: until then a clone keeps what the origin has
 * forgotten.
 */
const GENERATION_BLOCKS = 20_000;

/** A clone that has all that its origin's refs lead to. */
export interface Checkout extends OpenStore, Disposable {
  readonly refs: OriginRefs;
}

/** Keeps this node's clones up to date. */
export class OpenClones implements AsyncDisposable {
  readonly #origin: Origin;
  readonly #clones: Clones;
  readonly #open = new OpenStores();
  readonly #pulls = new KeyedMutex();
  /** What each open clone was made for, and the refs as of which it is complete. */
  readonly #states = new WeakMap<BlockStore, { readonly generation: number; refs?: OriginRefs }>();

  constructor(origin: Origin, clones: Clones) {
    this.#origin = origin;
    this.#clones = clones;
  }

  /** The organization's clone as its origin is now; undefined when that keeps nothing. */
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

  /** Brings commits that no ref leads to. @returns whether the origin has any of them. */
  async bring(orgId: string, { store }: OpenStore, commits: readonly Hash[]): Promise<boolean> {
    return this.#pulls.runExclusive(orgId, async () => {
      await pull(this.#origin, orgId, store, commits);
      return commits.some((hash) => store.has(hash));
    });
  }

  /** Whether the origin has a block undamaged. */
  async isSound(orgId: string, hash: Hash): Promise<boolean> {
    const bytes = (await this.#origin.blocks(orgId, [hash])).blocks.get(hash);
    return bytes !== undefined && hashOf(bytes) === hash;
  }

  /** Throws a clone away: the next one is made anew. */
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

/** Another number means another file for the clone. */
export function generationOf({ swept }: OriginRefs): number {
  return Math.floor(swept / GENERATION_BLOCKS);
}
