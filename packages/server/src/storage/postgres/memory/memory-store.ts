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
import type { AuditFact } from "../../../audit/ports.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";
import { addFacts } from "../audit/outbox.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import type { Connection, Database, PgValue } from "../database.js";
import { batchedLookup, type Lookup } from "../batched-lookup.js";
import { GroupCommit, type Waiting } from "../group-commit.js";
import { activeModel, adoptModel, changedModel } from "./memory-models.js";
import { conditionsOf, ENTRY_COLUMNS, entryOf, type EntryRow } from "./memory-rows.js";
import { deleteEntries, insertEntries } from "./memory-writes.js";
import type { NumberedCalls } from "./pending-memory.js";
import { isRefusal, settled } from "../settled.js";
import { preventDeletions, whileDeleting } from "../retention/retention-lock.js";
import type { Signals } from "../signals.js";
import { PostgresToolCallFeed } from "../tool-calls/tool-call-feed.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";

/** Maximum number of `addEntries` calls that are written together. */
const ADDS_MAX = 64;

/** Entries that are added together, and the fact that is committed with them. */
interface Addition {
  readonly entries: readonly EmbeddedEntry[];
  readonly fact: AuditFact | undefined;
}

export class PostgresMemoryStore implements MemoryStore {
  readonly toolCalls: PostgresToolCallFeed;
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #thread: Pick<DerivationThread<DerivationCalls>, "call">;
  /** Combines the lookups of searches that end together. */
  readonly #found: Lookup<MemoryEntry> = batchedLookup((entryIds, orgId) =>
    this.#entriesById(entryIds, orgId),
  );
  /**
   * An organization's writes wait for its lock (`memory-sequences.ts`), so additions that arrive
   * during a write share the next one.
   */
  readonly #adds = new GroupCommit<Addition>({
    batchMax: ADDS_MAX,
    inFlightMax: 1,
    write: (_orgId, waiting) => this.#add(waiting),
  });
  #modelId: number | undefined;
  /** The number of each batch in the thread that has read it. */
  readonly #numbers = new WeakMap<TakenCalls, number>();

  constructor(
    db: Database,
    unread: UnreadPlans,
    signals: Signals,
    thread: Pick<DerivationThread<DerivationCalls>, "call">,
  ) {
    this.#db = db;
    this.#thread = thread;
    this.toolCalls = new PostgresToolCallFeed(db, "memory", unread);
    this.#signals = signals;
  }

  /** The model whose vectors this node stores and searches. */
  get modelId(): number {
    assert(this.#modelId !== undefined, "a store is told its model before it is given vectors");
    return this.#modelId;
  }

  async useModel(model: EmbeddingModel): Promise<void> {
    this.#modelId = await this.#db.transaction((connection) => adoptModel(connection, model));
  }

  addEntries(entries: readonly EmbeddedEntry[], operation?: RecordedOperation): Promise<void> {
    const [first] = entries;
    if (first === undefined) return Promise.resolve();
    const { orgId } = first.entry;
    if (operation === undefined) return this.#adds.add(orgId, { entries, fact: undefined });
    return operation.write(async (due) => {
      await this.#adds.add(orgId, { entries, fact: due?.fact });
      if (due !== undefined) due.isCommitted = true;
    });
  }

  async takeCalls(limit: number, setAside?: SetAside): Promise<TakenCalls> {
    const read = (plans: readonly PlanRef[]): Promise<NumberedCalls> =>
      this.#thread.call("takeCalls", { plans, limit });
    const { number, taken, isCut } = await this.toolCalls.takeWith(read, setAside);
    if (taken.calls.length === 0) this.toolCalls.forget();
    const calls = { ...taken, isCut };
    this.#numbers.set(calls, number);
    return calls;
  }

  async remember(
    taken: TakenCalls,
    vectors: readonly (Float32Array | undefined)[],
  ): Promise<readonly IndexEntry[]> {
    const number = this.#numbers.get(taken);
    assert(number !== undefined, "a batch is remembered by the store that it was taken from");
    const decided = { number, modelId: this.modelId, vectors };
    const entries = await this.#thread.call("rememberCalls", decided);
    this.toolCalls.forget();
    this.#signals.memory(entries.map(({ orgId }) => orgId));
    return entries;
  }

  async findEntry(orgId: string, entryId: string): Promise<MemoryEntry | undefined> {
    const [row] = await this.#db.query<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM memory_entries AS e WHERE org_id = $1 AND entry_id = $2`,
      [orgId, entryId],
    );
    return row && entryOf(row);
  }

  async countEntries(orgId: string): Promise<number> {
    const [row] = await this.#db.query<{ readonly count: number }>(
      "SELECT count(*)::integer AS count FROM memory_entries WHERE org_id = $1",
      [orgId],
    );
    return row?.count ?? 0;
  }

  async hasEntries(): Promise<boolean> {
    return (await this.#db.query("SELECT 1 FROM memory_entries LIMIT 1")).length > 0;
  }

  /** Rejects once another model is active, because the search's hits may then be incomplete. */
  entriesById(
    entryIds: readonly string[],
    orgId?: string,
  ): Promise<ReadonlyMap<string, MemoryEntry>> {
    return this.#found(entryIds, orgId);
  }

  async listEntries(
    orgId: string,
    filter: EntryFilter,
    page: { readonly limit: number; readonly after?: EntryPosition },
  ): Promise<readonly MemoryEntry[]> {
    const values: PgValue[] = [];
    const conditions = [conditionsOf(filter, orgId, values)];
    if (page.after !== undefined) {
      values.push(page.after.createdAtMs, page.after.entryId);
      const places = `($${values.length - 1}, $${values.length})`;
      conditions.push(`(e.created_at_ms, e.entry_id) < ${places}`);
    }
    values.push(page.limit);
    const rows = await this.#db.query<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM memory_entries AS e WHERE ${conditions.join(" AND ")}
       ORDER BY e.created_at_ms DESC, e.entry_id DESC LIMIT $${values.length}`,
      values,
    );
    return rows.map(entryOf);
  }

  deleteEntry(orgId: string, entryId: string, operation?: RecordedOperation): Promise<boolean> {
    return settled(async (isUnsure) => {
      const entry = await this.findEntry(orgId, entryId);
      if (entry === undefined) return isUnsure;
      const deleted = await this.#delete(orgId, entry.sessionId, [entryId], operation);
      return deleted !== undefined && (deleted.length > 0 || isUnsure);
    });
  }

  async deleteSession(
    orgId: string,
    sessionId: string,
    limit: number,
    operation?: RecordedOperation,
  ): Promise<readonly string[]> {
    const rows = await this.#db.query<{ readonly entry_id: string }>(
      `SELECT entry_id FROM memory_entries WHERE org_id = $1 AND session_id = $2
       ORDER BY created_at_ms LIMIT $3`,
      [orgId, sessionId, limit],
    );
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.entry_id);
    const deleted = await settled(() => this.#delete(orgId, sessionId, ids, operation));
    // The result includes entries that another caller deleted at the same time, because they no
    // longer exist either.
    return deleted === undefined ? [] : ids;
  }

  async deleteExpired(
    orgId: string,
    which: ExpiredScope,
    limit: number,
  ): Promise<readonly string[]> {
    const rows = await this.#db.query<Pick<EntryRow, "session_id" | "entry_id">>(
      `SELECT e.session_id, e.entry_id FROM memory_entries AS e
       WHERE e.org_id = $1 AND e.created_at_ms < $2 AND ($4::text IS NULL OR e.session_id = $4)
         AND NOT EXISTS (SELECT 1 FROM legal_holds AS h WHERE h.org_id = $1
           AND (h.session_id IS NULL OR h.session_id = e.session_id))
       ORDER BY e.created_at_ms LIMIT $3`,
      [orgId, which.beforeMs, limit, which.sessionId ?? null],
    );
    const sessions = new Map<string, string[]>();
    for (const { session_id: sessionId, entry_id: entryId } of rows) {
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), entryId]);
    }
    const deleted: string[] = [];
    // One transaction for each: two transactions that lock several sessions could deadlock.
    for (const [sessionId, entryIds] of sessions) {
      deleted.push(...(await settled(() => this.#expire(orgId, sessionId, entryIds))));
    }
    if (deleted.length > 0) this.#signals.memory([orgId]);
    return deleted;
  }

  /** Deletes entries of one session, unless a legal hold was placed meanwhile. */
  async #expire(
    orgId: string,
    sessionId: string,
    entryIds: readonly string[],
  ): Promise<readonly string[]> {
    const deleted = await whileDeleting(this.#db, orgId, async (connection) =>
      (await isHeld(connection, orgId, sessionId))
        ? []
        : deleteEntries(connection, orgId, sessionId, entryIds),
    );
    return deleted ?? [];
  }

  /** An item that the database refuses must not fail the other items. */
  async #add(waiting: readonly Waiting<Addition>[]): Promise<void> {
    try {
      await this.#insert(waiting.map(({ item }) => item));
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      if (waiting.length > 1 && isRefusal(error)) {
        for (const each of waiting) await this.#add([each]);
      } else {
        for (const { reject } of waiting) reject(error as Error);
      }
    }
  }

  async #insert(additions: readonly Addition[]): Promise<void> {
    const modelId = this.modelId;
    const entries = additions.flatMap((each) => each.entries);
    const facts = additions.flatMap(({ fact }) => fact ?? []);
    await settled(
      async () => {
        await this.#db.transaction(async (connection) => {
          await insertEntries(connection, entries, modelId);
          await addFacts(connection, facts);
        });
        return true;
      },
      () => this.#areThere(entries),
    );
    this.#signals.memory(organizationsOf(entries));
  }

  /** After an attempt with an unknown outcome, either all entries of the call exist or none. */
  async #areThere([first]: readonly EmbeddedEntry[]): Promise<true | undefined> {
    if (first === undefined) return true;
    const { orgId, entryId } = first.entry;
    return (await this.findEntry(orgId, entryId)) === undefined ? undefined : true;
  }

  /**
   * Two statements, because models are on every server, but entries only where their organization
   * is.
   */
  async #entriesById(
    entryIds: readonly string[],
    orgId: string | undefined,
  ): Promise<ReadonlyMap<string, MemoryEntry>> {
    const ofOrganization = orgId === undefined ? "" : "AND e.org_id = $3 AND v.org_id = $3";
    const rows = await this.#db.queryPrepared<EntryRow>(
      `SELECT ${ENTRY_COLUMNS}
       FROM memory_entry_vectors AS v JOIN memory_entries AS e USING (org_id, entry_id)
       WHERE v.entry_id = ANY ($1::uuid[]) AND v.model_id = $2 ${ofOrganization}`,
      [entryIds, this.modelId, ...(orgId === undefined ? [] : [orgId])],
    );
    const active = await activeModel(this.#db);
    if (active?.modelId !== this.modelId) throw changedModel(active);
    return new Map(rows.map(entryOf).map((entry) => [entry.entryId, entry]));
  }

  /** @returns `undefined`, with nothing deleted, when a legal hold covers the session. */
  async #delete(
    orgId: string,
    sessionId: string,
    entryIds: readonly string[],
    operation: RecordedOperation | undefined,
  ): Promise<readonly string[] | undefined> {
    const deleted = await this.#db.effect(async (connection) => {
      // Placing a hold waits for the end of this transaction, or this one sees the hold.
      await preventDeletions(connection, orgId);
      if (await isHeld(connection, orgId, sessionId)) return undefined;
      return deleteEntries(connection, orgId, sessionId, entryIds);
    }, operation);
    if (deleted !== undefined) this.#signals.memory([orgId]);
    return deleted;
  }
}

/** Whether a legal hold covers a session. */
async function isHeld(connection: Connection, orgId: string, sessionId: string): Promise<boolean> {
  const holds = await connection.query(
    `SELECT 1 FROM legal_holds
     WHERE org_id = $1 AND (session_id IS NULL OR session_id = $2) LIMIT 1`,
    [orgId, sessionId],
  );
  return holds.length > 0;
}

function organizationsOf(entries: readonly EmbeddedEntry[]): readonly string[] {
  return entries.map(({ entry }) => entry.orgId);
}
