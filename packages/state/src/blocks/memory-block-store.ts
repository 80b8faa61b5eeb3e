import type { Clock } from "@steward/kernel/clock.js";
import type { Hash } from "./hash.js";
import type { BlockStore, JournalRecord, Ref, RefMove } from "../ports.js";

interface StoredBlock {
  readonly bytes: Uint8Array;
  readonly writtenAtMs: number;
}

/** A store in memory, for tests and temporary copies. */
export class MemoryBlockStore implements BlockStore {
  readonly #clock: Clock;
  readonly #blocks = new Map<Hash, StoredBlock>();
  readonly #refs = new Map<string, Hash>();
  readonly #journals = new Map<string, JournalRecord[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(hash: Hash): Uint8Array | undefined {
    return this.#blocks.get(hash)?.bytes;
  }

  has(hash: Hash): boolean {
    return this.#blocks.has(hash);
  }

  hashes(): Iterable<Hash> {
    return this.#blocks.keys();
  }

  put(blocks: ReadonlyMap<Hash, Uint8Array>): void {
    const writtenAtMs = this.#clock.nowMs();
    for (const [hash, bytes] of blocks) this.#blocks.set(hash, { bytes, writtenAtMs });
  }

  ref(name: string): Hash | undefined {
    return this.#refs.get(name);
  }

  refs(): readonly Ref[] {
    const refs = [...this.#refs].map(([name, commit]) => ({ name, commit }));
    return refs.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  move(move: RefMove, blocks: ReadonlyMap<Hash, Uint8Array>): boolean {
    if (this.#refs.get(move.name) !== move.expected) return false;
    this.put(blocks);
    if (move.next === undefined) this.#refs.delete(move.name);
    else this.#refs.set(move.name, move.next);
    if (move.journal !== undefined) this.clearJournal(move.journal);
    return true;
  }

  append(journal: string, record: JournalRecord): void {
    const records = this.#journals.get(journal);
    if (records === undefined) this.#journals.set(journal, [record]);
    else records.push(record);
  }

  sync(): void {
    // Memory cannot be made durable.
  }

  journal(name: string): readonly JournalRecord[] {
    return [...(this.#journals.get(name) ?? [])];
  }

  journals(): readonly string[] {
    return [...this.#journals.keys()].sort();
  }

  clearJournal(name: string): void {
    this.#journals.delete(name);
  }

  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number {
    let deleted = 0;
    for (const [hash, block] of this.#blocks) {
      if (keep.has(hash) || block.writtenAtMs >= writtenBeforeMs) continue;
      this.#blocks.delete(hash);
      deleted += 1;
    }
    return deleted;
  }

  [Symbol.dispose](): void {
    this.#blocks.clear();
  }
}
