import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { BlockCache, EMPTY_ROOT } from "./block-cache.js";
import { BulkLoad } from "./bulk-load.js";
import { commitId, encodeCommit, readCommit, type Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import { Novelty } from "./novelty.js";
import type { BlockStore } from "./ports.js";
import { isKeptIn, keyIn, type Order, quadBytes, type QuadBytes, splitKey } from "./quad-key.js";
import { Snapshot } from "./snapshot.js";
import type { QuadLike } from "./term.js";
import { type Edit, updateTree } from "./tree-update.js";

/** The roots of the dataset without quads. */
export const EMPTY_ROOTS: Roots = { spog: EMPTY_ROOT, posg: EMPTY_ROOT, ospg: EMPTY_ROOT };

/** Differences kept in memory before they are written into trees. */
const NOVELTY_SIZE_MAX = 4096;
/** Bytes of trees kept in memory before a commit; beyond it they are stored early. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;

/** Quads whose keys are held at once while many are written. */
const EDITS_AT_ONCE = 20_000;

/** Who commits, and what for. */
export interface CommitNote {
  readonly author: string;
  readonly message: string;
}

/**
 * One branch of a history of datasets, to be read and written. Writes are journaled: they outlive this
 * process once {@link sync} was called, and belong to the branch once {@link commit} was.
 */
export class TripleStore {
  readonly branch: string;
  readonly #store: BlockStore;
  readonly #clock: Clock;
  readonly #blocks: BlockCache;
  #novelty = new Novelty();
  #head: Hash | undefined;
  #roots: Roots;
  #now: Snapshot;

  /**
   * Opens a branch where it stands, with what its journal holds; one that does not exist begins empty.
   * @throws AppError `STATE_CORRUPTED` when its commit cannot be read.
   */
  constructor(store: BlockStore, clock: Clock, branch = "main") {
    this.branch = branch;
    this.#store = store;
    this.#clock = clock;
    this.#blocks = new BlockCache(store);
    this.#head = store.ref(this.#ref);
    this.#roots = this.#head === undefined ? EMPTY_ROOTS : readCommit(store, this.#head).roots;
    this.#now = this.#snapshot();
    for (const { key, present } of store.journal(this.#ref)) {
      this.#change(splitKey("spog", Buffer.from(key)), present);
    }
  }

  /** The commit that the next one follows; undefined before the first. */
  get head(): Hash | undefined {
    return this.#head;
  }

  /** The dataset as it is now, with what is not committed yet. Ask again after a write. */
  get now(): Snapshot {
    return this.#now;
  }

  /** The dataset as of a commit. @throws AppError `STATE_CORRUPTED` when there is no such commit. */
  at(commit: Hash): Snapshot {
    return new Snapshot(this.#blocks, readCommit(this.#store, commit).roots);
  }

  /** Adds a quad. @returns whether it was new. @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`. */
  add(quad: QuadLike): boolean {
    const bodies = new Map<Hash, Uint8Array>();
    const bytes = quadBytes(quad, (hash, body) => bodies.set(hash, body));
    // A journaled quad whose text is lost would be worse than none.
    if (bodies.size > 0) this.#store.put(bodies);
    return this.#write(bytes, true);
  }

  /** Deletes a quad. @returns whether it was there. */
  delete(quad: QuadLike): boolean {
    return this.#write(
      quadBytes(quad, () => undefined),
      false,
    );
  }

  /**
   * Adds many quads at once, without a journal: they are kept from the next commit on.
   * @throws what `quads` throws, and AppError as {@link add}; then nothing was added.
   */
  load(quads: Iterable<QuadLike>): void {
    const load = new BulkLoad(this.#store);
    for (const quad of quads) load.add(quad);
    this.finishLoad(load);
  }

  /** Deletes many quads at once, without a journal. */
  unload(quads: Iterable<QuadLike>): void {
    const load = new BulkLoad(this.#store);
    for (const quad of quads) load.add(quad);
    this.#flush();
    this.#editAll(load, false);
  }

  /** Has the dataset be these quads and no others, without a journal. @throws as {@link load}. */
  replace(quads: Iterable<QuadLike>): void {
    const load = new BulkLoad(this.#store);
    for (const quad of quads) load.add(quad);
    this.#novelty = new Novelty();
    this.#roots = EMPTY_ROOTS;
    this.finishLoad(load);
  }

  /** Adds what was collected. */
  finishLoad(load: BulkLoad): void {
    this.#flush();
    if (this.#roots.spog === EMPTY_ROOT) {
      this.#roots = load.build(this.#blocks, () => this.#storeEarly());
      this.#now = this.#snapshot();
      return;
    }
    this.#editAll(load, true);
  }

  /** Writes many changes into the trees at once; which of them change anything shows there. */
  #editAll(load: BulkLoad, present: boolean): void {
    let batch: QuadBytes[] = [];
    for (const bytes of load.quads()) {
      batch.push(bytes);
      if (batch.length < EDITS_AT_ONCE) continue;
      this.#edit(batch, present);
      batch = [];
    }
    this.#edit(batch, present);
    this.#now = this.#snapshot();
  }

  #edit(quads: readonly QuadBytes[], present: boolean): void {
    const { spog, posg, ospg } = this.#roots;
    const update = (order: Order, root: Hash): Hash =>
      updateTree(this.#blocks, root, editsIn(order, quads, present));
    this.#roots = {
      spog: update("spog", spog),
      posg: update("posg", posg),
      ospg: update("ospg", ospg),
    };
    this.#storeEarly();
  }

  /** Makes the writes so far outlive this process. */
  sync(): void {
    this.#store.sync();
  }

  /** The nodes that this branch reads and writes with. */
  get blocks(): BlockCache {
    return this.#blocks;
  }

  /**
   * Commits the dataset if it differs from the last commit's.
   * @returns the commit that has it. @throws AppError as {@link commit}.
   */
  commitChanges(note: CommitNote): Hash {
    this.#flush();
    const head = this.#head;
    const isSame =
      head !== undefined && readCommit(this.#store, head).roots.spog === this.#roots.spog;
    return isSame ? head : this.commit(note);
  }

  /**
   * Commits the dataset as it is now. Durable when it returns.
   * @throws AppError `STATE_CONFLICT` when the branch has moved meanwhile; the writes are kept.
   */
  commit(note: CommitNote, parents: readonly Hash[] = []): Hash {
    this.#flush();
    const blocks = this.#blocks.heldBelow(Object.values(this.#roots) as Hash[]);
    const { hash, bytes } = encodeCommit({
      ...note,
      roots: this.#roots,
      parents: this.#head === undefined ? parents : [this.#head, ...parents],
      timeMs: this.#clock.nowMs(),
    });
    blocks.set(hash, bytes);
    const name = this.#ref;
    if (!this.#store.move({ name, expected: this.#head, next: hash, journal: name }, blocks)) {
      throw this.#moved();
    }
    this.#blocks.release();
    this.#head = hash;
    return hash;
  }

  /** Forgets what is not committed, and goes to where the branch is now. */
  reset(): void {
    this.#novelty = new Novelty();
    this.#blocks.release();
    this.#store.clearJournal(this.#ref);
    this.#head = this.#store.ref(this.#ref);
    this.#roots =
      this.#head === undefined ? EMPTY_ROOTS : readCommit(this.#store, this.#head).roots;
    this.#now = this.#snapshot();
  }

  get #ref(): string {
    return `heads/${this.branch}`;
  }

  #write(bytes: QuadBytes, present: boolean): boolean {
    if (!this.#change(bytes, present)) return false;
    this.#store.append(this.#ref, { key: keyIn("spog", bytes), present });
    return true;
  }

  #change(bytes: QuadBytes, present: boolean): boolean {
    const key = keyIn("spog", bytes);
    if (this.#now.hasKey(key) === present) return false;
    if (this.#novelty.presence(key) === undefined) this.#novelty.add(bytes, present);
    else this.#novelty.delete(bytes);
    if (this.#novelty.size >= NOVELTY_SIZE_MAX) this.#flush();
    return true;
  }

  /** Writes the novelty into the trees. */
  #flush(): void {
    if (this.#novelty.size === 0) return;
    const { spog, posg, ospg } = this.#roots;
    this.#roots = {
      spog: updateTree(this.#blocks, spog, this.#novelty.edits("spog")),
      posg: updateTree(this.#blocks, posg, this.#novelty.edits("posg")),
      ospg: updateTree(this.#blocks, ospg, this.#novelty.edits("ospg")),
    };
    this.#novelty = new Novelty();
    this.#now = this.#snapshot();
    this.#storeEarly();
  }

  /**
   * Stores the trees so far when they are many. No ref leads to them yet: what is not committed within
   * the grace period of the collection of garbage is lost to it.
   */
  #storeEarly(): void {
    if (this.#blocks.heldBytes <= HELD_BYTES_MAX) return;
    this.#store.put(this.#blocks.held);
    this.#blocks.release();
  }

  #snapshot(): Snapshot {
    return new Snapshot(this.#blocks, this.#roots, this.#novelty);
  }

  #moved(): AppError {
    const at = this.#store.ref(this.#ref);
    const now = at === undefined ? "is gone" : `has moved to ${commitId(at)}`;
    return new AppError(
      "STATE_CONFLICT",
      `The branch ${this.branch} ${now}: merge, or reset and try again`,
    );
  }
}

/** The edits of an order: ascending, each key once. */
function editsIn(order: Order, quads: readonly QuadBytes[], present: boolean): readonly Edit[] {
  const keys = quads
    .filter(({ object }) => isKeptIn(order, object))
    .map((bytes) => keyIn(order, bytes))
    .sort((a, b) => Buffer.compare(a, b));
  return keys
    .filter((key, index) => index === 0 || keys[index - 1]?.equals(key) !== true)
    .map((key) => ({ key, present }));
}
