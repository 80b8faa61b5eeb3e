import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { CorruptedBlock } from "../blocks/corrupted-block.js";
import type { Fault } from "../upkeep/fsck.js";
import { type Collection, GRACE_MS } from "../upkeep/garbage.js";
import { type Checkout, GENERATION_BLOCKS, OpenClones } from "./open-clones.js";
import { OriginCollection } from "./origin-collection.js";
import type { Hash } from "../blocks/hash.js";
import { emptyStore } from "./own-repositories.js";
import type {
  Clones,
  OpenStore,
  Origin,
  OriginRefs,
  Repositories,
  StateErasure,
} from "../ports.js";
import { haveHappened, publish } from "./publish.js";
import { pull } from "./pull.js";
import { WorkingCopy } from "./working-copy.js";

/**
 * Attempts of a write that lost the race against other nodes. In each attempt one of the other
 * nodes has succeeded.
 */
const WRITE_TRIES_MAX = 50;
/** Attempts of a read whose blocks were missing from the clone. */
const READ_TRIES_MAX = 3;

export interface ClonedParts {
  readonly origin: Origin;
  readonly clones: Clones;
  readonly clock: Clock;
  readonly graceMs?: number;
}

/**
 * Repositories shared by several nodes. The origin is authoritative. A node works on clones, which
 * hold only blocks of the origin and are updated before each piece of work.
 */
export class ClonedRepositories implements Repositories, StateErasure {
  readonly #parts: ClonedParts;
  readonly #open: OpenClones;
  readonly #mutex = new KeyedMutex();

  constructor(parts: ClonedParts) {
    this.#parts = parts;
    this.#open = new OpenClones(parts.origin, parts.clones);
  }

  async acquire(orgId: string): Promise<OpenStore & Disposable> {
    const checkout = await this.#checkout(orgId);
    return { ...checkout, [Symbol.dispose]: () => checkout[Symbol.dispose]() };
  }

  read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    return this.#withBlocks(orgId, work);
  }

  /**
   * Writes run one after the other on this node. Among several nodes the first one to publish wins;
   * the others re-read the refs and retry.
   */
  write<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(orgId, async () => {
      for (let tries = 1; tries <= WRITE_TRIES_MAX; tries++) {
        const done = await this.#withBlocks(orgId, async (copied) => {
          const result = await work(copied);
          return (await this.#publish(orgId, copied)) ? { result } : undefined;
        });
        if (done !== undefined) return done.result;
      }
      throw new AppError("OVERLOADED", "Other servers write to this state at all times", {
        retryAfterMs: 1000,
      });
    });
  }

  async check(orgId: string): Promise<readonly Fault[]> {
    const { origin, clones } = this.#parts;
    const now = await origin.refs(orgId);
    if (now === undefined) return [];
    return clones.check(async (scratch) => {
      await pull(
        origin,
        orgId,
        scratch,
        now.refs.map(({ commit }) => commit),
      );
      for (const { name, commit } of now.refs) {
        scratch.move({ name, expected: undefined, next: commit }, new Map());
      }
    });
  }

  async collect(orgId: string): Promise<Collection> {
    const { origin, clones, graceMs = GRACE_MS } = this.#parts;
    return new OriginCollection({ orgId, origin, clones, open: this.#open, graceMs }).run();
  }

  /** Other nodes delete their clones when they next use the organization's state. */
  async erase(orgId: string): Promise<boolean> {
    return this.#mutex.runExclusive(orgId, async () => {
      const existed = await this.#parts.origin.erase(orgId, GENERATION_BLOCKS);
      this.#open.discard(orgId);
      return existed;
    });
  }

  due(intervalMs: number): Promise<readonly string[]> {
    return this.#parts.origin.due(intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mutex[Symbol.asyncDispose]();
    await this.#open[Symbol.asyncDispose]();
    await this.#parts.clones[Symbol.asyncDispose]();
  }

  async #checkout(orgId: string): Promise<Copied & Disposable> {
    const checkout = (await this.#open.checkout(orgId)) ?? nothingYet();
    const store = new WorkingCopy(checkout.store, checkout.refs.refs, this.#parts.clock);
    return { ...checkout, store, clone: checkout };
  }

  /** Runs work, and repeats it when blocks were missing that the origin can supply. */
  async #withBlocks<T>(orgId: string, work: (copied: Copied) => T | Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        using copied = await this.#checkout(orgId);
        try {
          return await work(copied);
        } catch (error) {
          if (tries === READ_TRIES_MAX || !(await this.#bringMissing(orgId, copied, error))) {
            throw error;
          }
        }
      } catch (error) {
        if (tries === READ_TRIES_MAX || !this.#parts.clones.isDamage(error)) throw error;
        this.#open.discard(orgId);
      }
    }
  }

  /**
   * Fetches the blocks for whose absence work has failed.
   * @returns whether the blocks are available now.
   */
  async #bringMissing(orgId: string, { store, clone }: Copied, error: unknown): Promise<boolean> {
    if (error instanceof CorruptedBlock) {
      // The origin has the block intact, so the clone lacks it or holds a damaged copy.
      const isSound = await this.#open.isSound(orgId, error.hash);
      if (isSound) this.#open.discard(orgId);
      return isSound;
    }
    // A caller may name a commit by its hash. Another node may have made the commit, and no ref may
    // lead to it.
    if (store.missed.size === 0) return false;
    return this.#open.bring(orgId, clone, [...store.missed]);
  }

  /**
   * Publishes what was written to the origin.
   * @returns false when another node was first.
   */
  async #publish(orgId: string, { store, clone, refs }: Copied): Promise<boolean> {
    if (store.moves.length === 0) return true;
    const outcome = await publish(this.#parts.origin, orgId, refs, store);
    if (outcome === "unknown") {
      using now = await this.#checkout(orgId);
      return haveHappened(store.moves, now.store);
    }
    if (outcome === "moved") await keepWritten(orgId, clone, store);
    return outcome === "moved";
  }
}

/** One piece of work on a clone. */
interface Copied extends OpenStore {
  readonly store: WorkingCopy;
  readonly clone: Checkout;
  readonly refs: OriginRefs;
}

/** The checkout of an organization without any state. */
function nothingYet(): Checkout {
  return { ...emptyStore(), refs: { version: -1, swept: 0, refs: [] } };
}

/**
 * Copies the written blocks to the clone, so that they need not be fetched. A few blocks are copied
 * at a time, each after all blocks that it links to.
 */
async function keepWritten(orgId: string, clone: Checkout, copy: WorkingCopy): Promise<void> {
  const written = copy.written();
  const blocks: Origin["blocks"] = async (_orgId, hashes) => {
    await nextTurn();
    return {
      blocks: new Map(hashes.flatMap((hash) => entry(hash, written.get(hash)))),
      rest: [],
    };
  };
  try {
    const commits = copy.moves.flatMap(({ next }) => next ?? []);
    await pull({ blocks }, orgId, clone.store, commits);
  } catch {
    // The origin has the blocks. The next checkout fetches them or reports the error.
  }
}

function entry(
  hash: Hash,
  bytes: Uint8Array | undefined,
): readonly (readonly [Hash, Uint8Array])[] {
  return bytes === undefined ? [] : [[hash, bytes]];
}
