import {
  type MemoryEntry,
  readableEntries,
  type ReembeddingProgress,
} from "../../../memory/index.js";
import type {
  EmbeddedEntry,
  EmbeddingModel,
  OnUnreadable,
  ReembeddingStore,
} from "../../../memory/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import type { SqliteRow } from "../connection.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { entryOf } from "./memory-rows.js";
import { writeActivation, writeDisposal, writeModel, writeVectors } from "./memory-writes.js";
import { number } from "../column-values.js";

/** A row of `memory_entries`, whose key can be read whatever else it contains. */
type KeyedRow = SqliteRow & { readonly entry_id: string };

/** Re-embeds an SQLite store. */
export class SqliteReembedding implements ReembeddingStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  /** Entries up to this key have no vectors of other models any more. */
  #disposedKey = 0;
  /** Entries that could not be read. */
  readonly #unreadable = new Set<string>();

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  async begin(model: EmbeddingModel): Promise<ReembeddingProgress> {
    await this.#writer.commit([writeModel(model)]);
    this.#disposedKey = 0;
    return {
      done: this.#count(
        "SELECT count(*) AS count FROM memory_entry_vectors WHERE model_id = ?",
        this.#modelId(model),
      ),
      total: this.#count("SELECT count(*) AS count FROM memory_entries"),
    };
  }

  async *entriesWithout(
    model: EmbeddingModel,
    limit: number,
    onUnreadable: OnUnreadable,
  ): AsyncGenerator<readonly MemoryEntry[]> {
    const modelId = this.#modelId(model);
    this.#unreadable.clear();
    let last = 0;
    for (;;) {
      const rows = await this.#db.all<KeyedRow>(
        SYSTEM,
        `SELECT * FROM memory_entries
         WHERE entry_key > ? AND NOT EXISTS (
           SELECT 1 FROM memory_entry_vectors
           WHERE memory_entry_vectors.entry_key = memory_entries.entry_key AND model_id = ?)
         ORDER BY entry_key LIMIT ?`,
        last,
        modelId,
        BigInt(limit),
      );
      const entries = readableEntries(rows, entryOf, (entryId, error) => {
        this.#unreadable.add(entryId);
        onUnreadable(entryId, error);
      });
      if (entries.length > 0) yield entries;
      if (rows.length < limit) return;
      last = number(rows.at(-1)?.["entry_key"]);
    }
  }

  addVectors(model: EmbeddingModel, entries: readonly EmbeddedEntry[]): Promise<void> {
    const modelId = this.#modelId(model);
    return this.#writer.commit(writeVectors(entries, modelId));
  }

  /** This process owns the store, so no entry without a vector can have been added meanwhile. */
  async activate(model: EmbeddingModel): Promise<boolean> {
    await this.#writer.commit(writeActivation(this.#modelId(model), [...this.#unreadable]));
    return true;
  }

  async deleteOtherVectors(model: EmbeddingModel, limit: number): Promise<boolean> {
    const modelId = this.#modelId(model);
    const afterKey = this.#disposedKey;
    const others = await this.#db.all(
      SYSTEM,
      `SELECT entry_key FROM memory_entry_vectors
       WHERE entry_key > ? AND model_id <> ? ORDER BY entry_key LIMIT ?`,
      afterKey,
      modelId,
      BigInt(limit),
    );
    if (others.length === 0) return false;
    const throughKey = number(others.at(-1)?.["entry_key"]);
    await this.#writer.commit([writeDisposal(modelId, { afterKey, throughKey })]);
    this.#disposedKey = throughKey;
    return others.length === limit;
  }

  #modelId({ name }: EmbeddingModel): number {
    const row = this.#db.get("SELECT model_id FROM memory_models WHERE name = ?", name);
    return number(row?.["model_id"]);
  }

  #count(sql: string, ...params: readonly number[]): number {
    return number(this.#db.get(sql, ...params)?.["count"]);
  }
}
