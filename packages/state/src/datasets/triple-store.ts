import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { BlockCache, EMPTY_ROOT } from "../tree/block-cache.js";
import { buildTrees, editTrees, tableOf } from "./bulk-load.js";
import { commitId, encodeCommit, readCommit, type Roots } from "./commit.js";
import type { Hash } from "../blocks/hash.js";
import { Novelty } from "./novelty.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore } from "../ports.js";
import { keyIn, quadBytes, type QuadBytes, splitKey } from "../terms/quad-key.js";
import type { QuadTable } from "./quad-table.js";
import { Snapshot } from "./snapshot.js";
import type { QuadLike } from "../terms/term.js";
import { updateTree } from "../tree/tree-update.js";

/** The roots of the empty dataset. */
export const EMPTY_ROOTS: Roots = { spog: EMPTY_ROOT, posg: EMPTY_ROOT, ospg: EMPTY_ROOT };

/** Changes held in memory before they are written into the trees. */
const NOVELTY_SIZE_MAX = 4096;
/**
 * Bytes of new nodes held in memory before a commit. Beyond this limit the nodes are stored early.
 */
const HELD_BYTES_MAX = 16 * 1024 * 1024;

/** Author and message of a commit. */
export interface CommitNote {
  readonly author: string;
  readonly message: string;
}

/**
 * One branch of a dataset's history, for reading and writing. Writes are journaled: they survive a
 * crash after {@link sync}, and are part of the branch after {@link commit}.
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
   * Opens a branch at its current commit, with its journaled changes. A branch that does not exist
   * starts empty.
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

  /** The parent of the next commit; undefined before the first. */
  get head(): Hash | undefined {
    return this.#head;
  }

  /** The current dataset including uncommitted changes. Obtain a new snapshot after a write. */
  get now(): Snapshot {
    return this.#now;
  }

  /**
   * The dataset of a commit.
   * @throws AppError `STATE_CORRUPTED` when there is no such commit.
   */
  at(commit: Hash): Snapshot {
    return new Snapshot(this.#blocks, readCommit(this.#store, commit).roots);
  }

  /** Adds a quad. @returns whether it was new. @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`. */
  add(quad: QuadLike): boolean {
    const bodies = new Map<Hash, Uint8Array>();
    const bytes = quadBytes(quad, (hash, body) => bodies.set(hash, body));
    // The text is stored before the quad is journaled, because a journaled quad without its text
    // could not be read.
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
   * Adds many quads without journaling: they are durable from the next commit on.
   * @throws errors of `quads`, and AppError as {@link add}; nothing was added then.
   */
  load(quads: Iterable<QuadLike>): void {
    withoutPauses(this.loading(tableOf(quads, this.#store)));
  }

  /** Deletes many quads without journaling. */
  unload(quads: Iterable<QuadLike>): void {
    withoutPauses(this.unloading(tableOf(quads, this.#store)));
  }

  /**
   * Replaces the whole dataset without journaling.
   * @throws as {@link load}.
   */
  replace(quads: Iterable<QuadLike>): void {
    withoutPauses(this.replacing(tableOf(quads, this.#store)));
  }

  /** Like {@link load}, but pauses regularly. The store must not be used during a pause. */
  *loading(table: QuadTable): Pausing<void> {
    this.#flush();
    if (this.#roots.spog === EMPTY_ROOT) {
      this.#roots = yield* buildTrees(table, this.#blocks, () => this.storeHeld(HELD_BYTES_MAX));
      this.#now = this.#snapshot();
      return;
    }
    yield* this.#editing(table, true);
  }

  /** Like {@link unload}, but pauses regularly. The store must not be used during a pause. */
  *unloading(table: QuadTable): Pausing<void> {
    this.#flush();
    yield* this.#editing(table, false);
  }

  /** Like {@link replace}, but pauses regularly. The store must not be used during a pause. */
  *replacing(table: QuadTable): Pausing<void> {
    this.#novelty = new Novelty();
    this.#roots = EMPTY_ROOTS;
    yield* this.loading(table);
  }

  /** Applies changes to the trees, which skip changes without an effect. */
  *#editing(table: QuadTable, present: boolean): Pausing<void> {
    const edits = { table, roots: this.#roots, present };
    this.#roots = yield* editTrees(edits, this.#blocks, () => this.storeHeld(HELD_BYTES_MAX));
    this.#now = this.#snapshot();
  }

  /** Makes all writes so far survive a crash. */
  sync(): void {
    this.#store.sync();
  }

  /** The cache through which this branch reads and writes nodes. */
  get blocks(): BlockCache {
    return this.#blocks;
  }

  /**
   * Commits the dataset if it differs from the last commit.
   * @returns the branch's commit.
   * @throws AppError as {@link commit}.
   */
  commitChanges(note: CommitNote): Hash {
    this.#flush();
    const head = this.#head;
    const isSame =
      head !== undefined && readCommit(this.#store, head).roots.spog === this.#roots.spog;
    return isSame ? head : this.commit(note);
  }

  /**
   * Commits the current dataset; durable when it returns.
   * @throws AppError `STATE_CONFLICT` when the branch has moved meanwhile; the writes are retained.
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

  /** Discards uncommitted changes, and moves to the branch's current commit. */
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

  /** Writes pending changes into the trees. */
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
    this.storeHeld(HELD_BYTES_MAX);
  }

  /**
   * Stores the new nodes when they exceed this many bytes. No ref leads to them yet, so garbage
   * collection deletes them if they are not committed within its grace period.
   */
  storeHeld(bytes: number): void {
    if (this.#blocks.heldBytes <= bytes) return;
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
