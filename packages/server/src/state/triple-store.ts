import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { BlockCache, EMPTY_ROOT } from "./block-cache.js";
import { buildTrees, editTrees, tableOf } from "./bulk-load.js";
import { commitId, encodeCommit, readCommit, type Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import { Novelty } from "./novelty.js";
import { type Pausing, withoutPauses } from "../kernel/pausing.js";
import type { BlockStore } from "./ports.js";
import { keyIn, quadBytes, type QuadBytes, splitKey } from "./quad-key.js";
import type { QuadTable } from "./quad-table.js";
import { Snapshot } from "./snapshot.js";
import type { QuadLike } from "./term.js";
import { updateTree } from "./tree-update.js";

/** The roots of the dataset without quads. */
export const EMPTY_ROOTS: Roots = { spog: EMPTY_ROOT, posg: EMPTY_ROOT, ospg: EMPTY_ROOT };

/** Differences kept in memory before they are written into trees. */
const NOVELTY_SIZE_MAX = 4096;
/** Bytes of trees kept in memory before a commit; beyond it they are stored early. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;

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
    withoutPauses(this.loading(tableOf(quads, this.#store)));
  }

  /** Deletes many quads at once, without a journal. */
  unload(quads: Iterable<QuadLike>): void {
    withoutPauses(this.unloading(tableOf(quads, this.#store)));
  }

  /** Has the dataset be these quads and no others, without a journal. @throws as {@link load}. */
  replace(quads: Iterable<QuadLike>): void {
    withoutPauses(this.replacing(tableOf(quads, this.#store)));
  }

  /** Adds quads as {@link load} does, with pauses, in which nobody may use this store. */
  *loading(table: QuadTable): Pausing<void> {
    this.#flush();
    if (this.#roots.spog === EMPTY_ROOT) {
      this.#roots = yield* buildTrees(table, this.#blocks, () => this.storeHeld(HELD_BYTES_MAX));
      this.#now = this.#snapshot();
      return;
    }
    yield* this.#editing(table, true);
  }

  /** Deletes quads as {@link unload} does, with pauses, in which nobody may use this store. */
  *unloading(table: QuadTable): Pausing<void> {
    this.#flush();
    yield* this.#editing(table, false);
  }

  /** Replaces the dataset as {@link replace} does, with pauses, in which nobody may use this store. */
  *replacing(table: QuadTable): Pausing<void> {
    this.#novelty = new Novelty();
    this.#roots = EMPTY_ROOTS;
    yield* this.loading(table);
  }

  /** Writes changes into the trees; which of them change anything shows there. */
  *#editing(table: QuadTable, present: boolean): Pausing<void> {
    const edits = { table, roots: this.#roots, present };
    this.#roots = yield* editTrees(edits, this.#blocks, () => this.storeHeld(HELD_BYTES_MAX));
    this.#now = this.#snapshot();
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
    this.storeHeld(HELD_BYTES_MAX);
  }

  /**
   * Stores the trees so far when they have so many bytes. No ref leads to them yet: what is not committed within
   * the grace period of the collection of garbage is lost to it.
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
