import { AppError } from "@steward/kernel/errors.js";
import {
  readableEntries,
  type MemoryEntry,
  type ReembeddingProgress,
} from "../../../memory/index.js";
import type {
  EmbeddedEntry,
  EmbeddingModel,
  OnUnreadable,
  ReembeddingStore,
} from "../../../memory/ports.js";
import { byOrganization } from "../../by-organization.js";
import { Database, type Connection } from "../database.js";
import { holdModel, knownModel, lockModels, modelIdOf, switchModel } from "./memory-models.js";
import { ENTRY_COLUMNS, entryOf, FIRST_ID, type EntryRow } from "./memory-rows.js";
import { deleteVectors, insertVectors } from "./memory-writes.js";
import { pendingMigrations } from "../migrate.js";

/**
 * Maximum number of entries that are embedded while additions are blocked; it bounds how long an
 * addition waits.
 */
const REST_MAX = 256;

/** Identifies a vector. */
interface VectorKey {
  readonly org_id: string;
  readonly entry_id: string;
  readonly model_id: number;
}

/**
 * Re-embeds a PostgreSQL store. Running nodes continue to search and add with the old model until
 * the switch. After it they refuse both.
 */
export class PostgresReembedding implements ReembeddingStore, AsyncDisposable {
  readonly #db: Database;
  /** Vectors of other models up to this key are deleted. */
  #deleted: VectorKey = { org_id: FIRST_ID, entry_id: FIRST_ID, model_id: 0 };

  private constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Opens the store at this URL without joining its nodes.
   * @throws AppError `STORE_UNAVAILABLE`; `INVALID_ARGUMENT` when there is none, or an older one.
   */
  static async open(url: string): Promise<PostgresReembedding> {
    const db = new Database(url);
    try {
      const [missing] = await pendingMigrations(db);
      if (missing === undefined) return new PostgresReembedding(db);
      throw new AppError(
        "INVALID_ARGUMENT",
        `SERVICE_DATABASE_URL: the store lacks ${missing.name}: run steward migrate first`,
      );
    } catch (error) {
      await db[Symbol.asyncDispose]();
      throw error;
    }
  }

  async begin(model: EmbeddingModel): Promise<ReembeddingProgress> {
    const modelId = await this.#db.transaction(async (connection) => {
      await lockModels(connection);
      return knownModel(connection, model);
    });
    const [row] = await this.#db.query<ReembeddingProgress>(
      `SELECT (SELECT count(*) FROM memory_entry_vectors WHERE model_id = $1) AS done,
         (SELECT count(*) FROM memory_entries) AS total`,
      [modelId],
    );
    return row ?? { done: 0, total: 0 };
  }

  async *entriesWithout(
    model: EmbeddingModel,
    limit: number,
    onUnreadable: OnUnreadable,
  ): AsyncGenerator<readonly MemoryEntry[]> {
    const modelId = await this.#modelId(model);
    let after: EntryKey = { orgId: FIRST_ID, entryId: FIRST_ID };
    for (;;) {
      const rows = await rowsWithout(this.#db, modelId, { after, limit });
      const entries = readableEntries(rows, entryOf, onUnreadable);
      if (entries.length > 0) yield entries;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      after = { orgId: last.org_id, entryId: last.entry_id };
    }
  }

  async addVectors(model: EmbeddingModel, entries: readonly EmbeddedEntry[]): Promise<void> {
    const modelId = await this.#modelId(model);
    await this.#db.transaction((connection) => addVectors(connection, entries, modelId));
  }

  activate(
    model: EmbeddingModel,
    embed: (entries: readonly MemoryEntry[]) => Promise<readonly EmbeddedEntry[]>,
  ): Promise<boolean> {
    return this.#db.transaction(async (connection) => {
      await lockModels(connection);
      const modelId = await modelIdOf(connection, model);
      const rest = await restWithout(connection, modelId);
      if (rest === undefined) return false;
      if (rest.length > 0) await addVectors(connection, await embed(rest), modelId);
      await switchModel(connection, modelId);
      return true;
    });
  }

  async deleteOtherVectors(model: EmbeddingModel, limit: number): Promise<boolean> {
    const modelId = await this.#modelId(model);
    const { org_id, entry_id, model_id } = this.#deleted;
    const others = await this.#db.query<VectorKey>(
      `SELECT org_id, entry_id, model_id FROM memory_entry_vectors
       WHERE (entry_id, org_id, model_id) > ($1, $2, $3) AND model_id <> $4
       ORDER BY entry_id, org_id, model_id LIMIT $5`,
      [entry_id, org_id, model_id, modelId, limit],
    );
    await this.#db.transaction(async (connection) => {
      // Another process may have switched to one of the other models meanwhile.
      await holdModel(connection, modelId);
      for (const [orgId, keys] of byOrganization(others, (key) => key.org_id)) {
        const entryIds = keys.map((key) => key.entry_id);
        await deleteVectors(connection, { orgId, entryIds, exceptModelId: modelId });
      }
    });
    this.#deleted = others.at(-1) ?? this.#deleted;
    return others.length === limit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  #modelId(model: EmbeddingModel): Promise<number> {
    return modelIdOf(this.#db, model);
  }
}

/** Identifies an entry. */
type EntryKey = Pick<MemoryEntry, "orgId" | "entryId">;

/** The entries that can be read and have no vector; `undefined`: they are too many. */
async function restWithout(
  connection: Connection,
  modelId: number,
): Promise<readonly MemoryEntry[] | undefined> {
  const rest: MemoryEntry[] = [];
  const limit = REST_MAX + 1;
  for (let after: EntryKey = { orgId: FIRST_ID, entryId: FIRST_ID }; ;) {
    const rows = await rowsWithout(connection, modelId, { after, limit });
    rest.push(...readableEntries(rows, entryOf, () => undefined));
    if (rest.length > REST_MAX) return undefined;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return rest;
    after = { orgId: last.org_id, entryId: last.entry_id };
  }
}

function rowsWithout(
  connection: Connection,
  modelId: number,
  { after, limit }: { readonly after: EntryKey; readonly limit: number },
): Promise<readonly EntryRow[]> {
  return connection.query<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM memory_entries AS e
     WHERE (e.org_id, e.entry_id) > ($1, $2) AND NOT EXISTS (
       SELECT FROM memory_entry_vectors AS v
       WHERE v.org_id = e.org_id AND v.entry_id = e.entry_id AND v.model_id = $3)
     ORDER BY e.org_id, e.entry_id LIMIT $4`,
    [after.orgId, after.entryId, modelId, limit],
  );
}

/** Entries that were deleted meanwhile get no vector; entries that already have one keep it. */
async function addVectors(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
): Promise<void> {
  const left: EmbeddedEntry[] = [];
  for (const [orgId, own] of byOrganization(entries, ({ entry }) => entry.orgId)) {
    const ids = own.map(({ entry }) => entry.entryId);
    // When two commands re-embed the same entries, the second waits here until the first has stored
    // its vectors.
    const there = await connection.query<{ readonly entry_id: string }>(
      `SELECT entry_id FROM memory_entries WHERE org_id = $1 AND entry_id = ANY ($2::uuid[])
       ORDER BY entry_id FOR NO KEY UPDATE`,
      [orgId, ids],
    );
    const embedded = await connection.query<{ readonly entry_id: string }>(
      `SELECT entry_id FROM memory_entry_vectors
       WHERE org_id = $1 AND entry_id = ANY ($2::uuid[]) AND model_id = $3`,
      [orgId, ids, modelId],
    );
    const lacking = new Set(there.map((row) => row.entry_id));
    for (const { entry_id: entryId } of embedded) lacking.delete(entryId);
    left.push(...own.filter(({ entry }) => lacking.has(entry.entryId)));
  }
  await insertVectors(connection, left, modelId);
}
