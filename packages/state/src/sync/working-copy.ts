import type { Clock } from "@steward/kernel/clock.js";
import type { Hash } from "../blocks/hash.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import type { BlockStore, JournalRecord, Ref, RefMove } from "../ports.js";

/**
 * One piece of work on a clone: the refs as of its start, and its writes on top of the clone's
 * blocks. The writes stay in memory until the origin has accepted them. Journals exist only during
 * the work.
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

  written(): ReadonlyMap<Hash, Uint8Array> {
    const written = new Map<Hash, Uint8Array>();
    for (const hash of this.#own.hashes()) {
      const bytes = this.#own.get(hash);
      // The hashes were computed when the blocks were written.
      if (bytes !== undefined) written.set(hash, bytes);
    }
    return written;
  }

  /** Blocks that were requested and are missing. */
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
    // Nothing is durable before the origin has accepted it.
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

  /** Deletes only blocks written here; the clone's blocks are the origin's to delete. */
  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number {
    return this.#own.sweep(keep, writtenBeforeMs);
  }

  /** The clone stays open; its owner closes it. */
  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]();
  }
}
