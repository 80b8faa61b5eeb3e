import type { Clock } from "../kernel/clock.js";
import type { Hash } from "./hash.js";
import { MemoryBlockStore } from "./memory-block-store.js";
import type { BlockStore, JournalRecord, Ref, RefMove } from "./ports.js";

/**
 * One piece of work on a clone: the refs as they were when it began, and over the clone's blocks what it writes,
 * which stays in memory until its origin has taken it. Journals live no longer than the work.
 */
export class WorkingCopy implements BlockStore {
  readonly #clone: BlockStore;
  readonly #own: MemoryBlockStore;
  readonly #moves: RefMove[] = [];
  readonly #missed = new Set<Hash>();

  constructor(clone: BlockStore, refs: readonly Ref[], clock: Clock) {
    this.#clone = clone;
    this.#own = new MemoryBlockStore(clock);
    for (const { name, commit } of refs) {
      this.#own.move({ name, expected: undefined, next: commit }, new Map());
    }
  }

  /** The moves of refs, in order. */
  get moves(): readonly RefMove[] {
    return this.#moves;
  }

  /** The blocks that were written. */
  written(): ReadonlyMap<Hash, Uint8Array> {
    const written = new Map<Hash, Uint8Array>();
    for (const hash of this.#own.hashes()) {
      const bytes = this.#own.get(hash);
      // Blocks were named by their hashes when they were written, a moment ago.
      if (bytes !== undefined) written.set(hash, bytes);
    }
    return written;
  }

  /** Blocks that were asked for and are not here. */
  get missed(): ReadonlySet<Hash> {
    return this.#missed;
  }

  get(hash: Hash): Uint8Array | undefined {
    return this.#own.get(hash) ?? this.#clone.get(hash);
  }

  has(hash: Hash): boolean {
    const isHere = this.#own.has(hash) || this.#clone.has(hash);
    if (!isHere) this.#missed.add(hash);
    return isHere;
  }

  *hashes(): Generator<Hash> {
    yield* this.#own.hashes();
    for (const hash of this.#clone.hashes()) if (!this.#own.has(hash)) yield hash;
  }

  put(blocks: ReadonlyMap<Hash, Uint8Array>): void {
    this.#own.put(blocks);
  }

  ref(name: string): Hash | undefined {
    return this.#own.ref(name);
  }

  refs(): readonly Ref[] {
    return this.#own.refs();
  }

  move(move: RefMove, blocks: ReadonlyMap<Hash, Uint8Array>): boolean {
    if (!this.#own.move(move, blocks)) return false;
    this.#moves.push(move);
    return true;
  }

  append(journal: string, record: JournalRecord): void {
    this.#own.append(journal, record);
  }

  sync(): void {
    // Nothing of it is durable before its origin has it.
  }

  journal(name: string): readonly JournalRecord[] {
    return this.#own.journal(name);
  }

  journals(): readonly string[] {
    return this.#own.journals();
  }

  clearJournal(name: string): void {
    this.#own.clearJournal(name);
  }

  /** Only what was written here: what is in the clone is its origin's to sweep. */
  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number {
    return this.#own.sweep(keep, writtenBeforeMs);
  }

  /** The clone stays open: it is lent. */
  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]();
  }
}
