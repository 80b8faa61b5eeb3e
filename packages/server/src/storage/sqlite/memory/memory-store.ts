import { assert } from "@steward/kernel/assert.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { EntryFilter, IndexEntry, MemoryEntry, TakenCalls } from "../../../memory/index.js";
import type {
  EmbeddedEntry,
  EmbeddingModel,
  EntryPosition,
  ExpiredScope,
  MemoryStore,
} from "../../../memory/ports.js";
import { otherModel } from "../../other-model.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read } from "../connection.js";
import { IS_IN_TIME } from "../reads/read-calls.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { conditionsOf, entryOf } from "./memory-rows.js";
import { writeActiveModel, writeDeletion, writeEntries, writeExpiry } from "./memory-writes.js";
import { number, text } from "../column-values.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import { MEMORY_CONSUMER } from "./pending-memory.js";
import { tellTried } from "../tool-calls/tried-calls.js";
import { SqliteToolCallFeed } from "../tool-calls/tool-call-feed.js";
import { isNotHeld } from "../retention/retention-writes.js";
import type { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";

export class SqliteMemoryStore implements MemoryStore {
  readonly toolCalls: SqliteToolCallFeed;
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #thread: Pick<DerivationThread<DerivationCalls>, "call">;
  #modelId: number | undefined;
  /** The number of each batch in the thread that has read it. */
  readonly #numbers = new WeakMap<TakenCalls, number>();

  constructor(
    writer: CommitWriter,
    db: StoreReads,
    calls: SqliteToolCallLog,
    thread: Pick<DerivationThread<DerivationCalls>, "call">,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#thread = thread;
    this.toolCalls = new SqliteToolCallFeed(writer, db, calls, MEMORY_CONSUMER);
  }

  async useModel(model: EmbeddingModel): Promise<void> {
    const active = this.#db.get("SELECT * FROM memory_models WHERE is_active = 1");
    const isSame = active?.["name"] === model.name && active["dimension"] === model.dimension;
    if (active !== undefined && !isSame && this.#hasVectors(number(active["model_id"]))) {
      const stored = { name: text(active["name"]), dimension: number(active["dimension"]) };
      throw otherModel(stored, model);
    }
    if (!isSame) await this.#writer.commit(writeActiveModel(model));
    const row = this.#db.get("SELECT model_id FROM memory_models WHERE is_active = 1");
    this.#modelId = number(row?.["model_id"]);
  }

  addEntries(entries: readonly EmbeddedEntry[], operation?: RecordedOperation): Promise<void> {
    const modelId = this.#activeModelId();
    return this.#writer.commitEffect(writeEntries(entries, modelId), operation);
  }

  async takeCalls(limit: number, setAside?: SetAside): Promise<TakenCalls> {
    const waiting = setAside?.waiting() ?? [];
    const { number, taken, tried } = await this.#thread.call("takeCalls", { limit, waiting });
    tellTried(setAside, tried);
    this.#numbers.set(taken, number);
    return taken;
  }

  remember(
    taken: TakenCalls,
    vectors: readonly (Float32Array | undefined)[],
  ): Promise<readonly IndexEntry[]> {
    const number = this.#numbers.get(taken);
    assert(number !== undefined, "a batch is remembered by the store that it was taken from");
    return this.#thread.call("rememberCalls", { number, modelId: this.#activeModelId(), vectors });
  }

  findEntry(orgId: string, entryId: string): Promise<MemoryEntry | undefined> {
    return read(() => {
      const sql = "SELECT * FROM memory_entries WHERE org_id = ? AND entry_id = ?";
      const row = this.#db.get(sql, orgId, entryId);
      return row && entryOf(row);
    });
  }

  async entriesById(entryIds: readonly string[]): Promise<ReadonlyMap<string, MemoryEntry>> {
    const rows = await this.#db.all(
      SYSTEM,
      "SELECT * FROM memory_entries WHERE entry_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(entryIds),
    );
    return new Map(rows.map(entryOf).map((entry) => [entry.entryId, entry]));
  }

  listEntries(
    orgId: string,
    filter: EntryFilter,
    page: { readonly limit: number; readonly after?: EntryPosition },
  ): Promise<readonly MemoryEntry[]> {
    const { sql, params } = conditionsOf(filter, orgId);
    const { after, limit } = page;
    const rest = after === undefined ? "TRUE" : "(created_at_ms, entry_id) < (?, ?)";
    const restParams = after === undefined ? [] : [after.createdAtMs, after.entryId];
    return readAll(
      this.#db,
      orgId,
      entryOf,
      `SELECT * FROM memory_entries WHERE ${IS_IN_TIME} AND ${sql} AND ${rest}
           ORDER BY created_at_ms DESC, entry_id DESC LIMIT ?`,
      ...params,
      ...restParams,
      BigInt(limit),
    );
  }

  async countEntries(orgId: string): Promise<number> {
    // A look at the clock for each entry would take six times as long as the count itself.
    const sql = `SELECT count(*) AS count FROM memory_entries
      WHERE org_id = ? AND (entry_key % 1000 > 0 OR ${IS_IN_TIME})`;
    const [row] = await this.#db.all(orgId, sql, orgId);
    return number(row?.["count"]);
  }

  hasEntries(): Promise<boolean> {
    return read(() => this.#db.get("SELECT 1 FROM memory_entries LIMIT 1") !== undefined);
  }

  async deleteEntry(
    orgId: string,
    entryId: string,
    operation?: RecordedOperation,
  ): Promise<boolean> {
    const entry = await this.findEntry(orgId, entryId);
    if (entry === undefined) return false;
    return this.#delete(orgId, entry.sessionId, [entryId], operation);
  }

  async deleteSession(
    orgId: string,
    sessionId: string,
    limit: number,
    operation?: RecordedOperation,
  ): Promise<readonly string[]> {
    for (;;) {
      const rows = await this.#db.all(
        orgId,
        `SELECT entry_id FROM memory_entries AS e
           WHERE org_id = ? AND session_id = ? AND ${isNotHeld("e")} LIMIT ?`,
        orgId,
        sessionId,
        BigInt(limit),
      );
      const ids = rows.map((row) => text(row["entry_id"]));
      if (ids.length === 0 || (await this.#delete(orgId, sessionId, ids, operation))) return ids;
    }
  }

  async deleteExpired(
    orgId: string,
    { beforeMs, sessionId }: ExpiredScope,
    limit: number,
  ): Promise<readonly string[]> {
    const rows = await this.#db.all(
      orgId,
      `SELECT entry_id, session_id FROM memory_entries AS e
         WHERE org_id = ?1 AND created_at_ms < ?2 AND (?3 IS NULL OR session_id = ?3)
           AND ${isNotHeld("e")}
         ORDER BY created_at_ms LIMIT ?4`,
      ...[orgId, beforeMs, sessionId ?? null, BigInt(limit)],
    );
    const expired = rows.map((row) => ({
      entryId: text(row["entry_id"]),
      sessionId: text(row["session_id"]),
    }));
    if (expired.length === 0) return [];
    await this.#writer.commit(writeExpiry(orgId, expired));
    const entryIds = expired.map(({ entryId }) => entryId);
    // A hold that was placed meanwhile has kept some of them.
    const kept = await this.entriesById(entryIds);
    return entryIds.filter((entryId) => !kept.has(entryId));
  }

  /** @returns false when an entry was deleted meanwhile, or a hold was placed; nothing was deleted now. */
  async #delete(
    orgId: string,
    sessionId: string,
    entryIds: readonly string[],
    operation: RecordedOperation | undefined,
  ): Promise<boolean> {
    try {
      await this.#writer.commitEffect(writeDeletion(orgId, sessionId, entryIds), operation);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  #hasVectors(modelId: number): boolean {
    const sql = "SELECT 1 FROM memory_entry_vectors WHERE model_id = ? LIMIT 1";
    return this.#db.get(sql, modelId) !== undefined;
  }

  #activeModelId(): number {
    assert(this.#modelId !== undefined, "a store is told its model before it is given vectors");
    return this.#modelId;
  }
}
