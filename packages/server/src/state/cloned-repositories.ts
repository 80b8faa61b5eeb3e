import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { KeyedMutex } from "../kernel/keyed-mutex.js";
import { CorruptedBlock } from "./corrupted-block.js";
import type { Fault } from "./fsck.js";
import { type Collection, GRACE_MS } from "./garbage.js";
import { type Checkout, OpenClones } from "./open-clones.js";
import { OriginCollection } from "./origin-collection.js";
import type { Hash } from "./hash.js";
import { emptyStore } from "./own-repositories.js";
import type { Clones, OpenStore, Origin, OriginRefs, Repositories } from "./ports.js";
import { haveHappened, publish } from "./publish.js";
import { pull } from "./pull.js";
import { WorkingCopy } from "./working-copy.js";

/** How often work is begun anew that other nodes were faster than: one of them has got on each time. */
const WRITE_TRIES_MAX = 50;
/** How often work is begun anew for blocks that were not in the clone. */
const READ_TRIES_MAX = 3;

/** What cloned repositories are made of. */
export interface ClonedParts {
  readonly origin: Origin;
  readonly clones: Clones;
  readonly clock: Clock;
  readonly graceMs?: number;
}

/**
 * Repositories that several nodes share. The truth is in the origin; this node works on clones of it, which hold
 * nothing that is not there, and are brought up to date before each piece of work.
 */
export class ClonedRepositories implements Repositories {
  readonly #parts: ClonedParts;
  readonly #open: OpenClones;
  readonly #mutex = new KeyedMutex();

  constructor(parts: ClonedParts) {
    this.#parts = parts;
    this.#open = new OpenClones(parts.origin, parts.clones);
  }

  async lend(orgId: string): Promise<OpenStore & Disposable> {
    const checkout = await this.#checkout(orgId);
    return { ...checkout, [Symbol.dispose]: () => checkout[Symbol.dispose]() };
  }

  read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    return this.#withBlocks(orgId, work);
  }

  /** One after the other on this node; among nodes the first one wins, and the others begin anew. */
  write<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(orgId, async () => {
      for (let tries = 1; tries <= WRITE_TRIES_MAX; tries++) {
        const done = await this.#withBlocks(orgId, async (copied) => {
          const result = await work(copied);
          return (await this.#publish(orgId, copied)) ? { result } : undefined;
        });
        if (done !== undefined) return done.result;
      }
      throw new AppError("OVERLOADED", "Other servers write this state all the time", {
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

  /** Runs work; again when it failed for want of blocks that the origin turns out to have. */
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

  /** Brings the blocks that a failure was for want of. @returns whether there were any, and they are here now. */
  async #bringMissing(orgId: string, { store, clone }: Copied, error: unknown): Promise<boolean> {
    if (error instanceof CorruptedBlock) {
      // It is the clone that lacks it or has damaged it.
      const isSound = await this.#open.isSound(orgId, error.hash);
      if (isSound) this.#open.discard(orgId);
      return isSound;
    }
    // Somebody named a commit by its hash: another node may have made it, and no ref leads to it.
    if (store.missed.size === 0) return false;
    return this.#open.bring(orgId, clone, [...store.missed]);
  }

  /** Makes what was written everybody's. @returns false when another node was first. */
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

/** A piece of work on a clone. */
interface Copied extends OpenStore {
  readonly store: WorkingCopy;
  readonly clone: Checkout;
  readonly refs: OriginRefs;
}

/** What there is of an organization that keeps nothing yet. */
function nothingYet(): Checkout {
  return { ...emptyStore(), refs: { version: -1, swept: 0, refs: [] } };
}

/** Spares the clone to be sent what it has written, a few blocks at a time, each after all those below it. */
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
    // The origin has it, and the next checkout brings it or tells what is wrong.
  }
}

function entry(
  hash: Hash,
  bytes: Uint8Array | undefined,
): readonly (readonly [Hash, Uint8Array])[] {
  return bytes === undefined ? [] : [[hash, bytes]];
}
