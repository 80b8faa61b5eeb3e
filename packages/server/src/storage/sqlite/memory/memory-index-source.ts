import { assert } from "@steward/kernel/assert.js";
import type { EntryFilter, IndexEntry, IndexSource, TextQuery } from "../../../memory/index.js";
import { vectorOfBlob } from "../../vector-blob.js";
import { openConnection, StatementCache, type SqliteRow, type SqliteValue } from "../connection.js";
import { conditionsOf } from "./memory-rows.js";
import { number, text } from "../column-values.js";

/** Entries read at once while an index loads. */
const PAGE_ENTRIES = 1000;

/** Maximum number of words of a query. More words make a search slow and hardly better. */
const WORDS_MAX = 64;

/** Options for opening the source in the index's thread. */
export interface IndexSourceOptions {
  /** The store's file, with an active model. */
  readonly path: string;
}

/** The active model's vectors, read by the thread of the search index. */
export function openIndexSource({ path }: IndexSourceOptions): IndexSource {
  const connection = openConnection(path, true);
  const db = new StatementCache(connection);
  const model = db.get("SELECT model_id FROM memory_models WHERE is_active = 1");
  const modelId = number(model?.["model_id"]);
  return {
    entries: () => pages(db, modelId),

    vectors: (entryIds) => vectors(db, modelId, entryIds),

    matching: (filter, orgId) => matching(db, filter, orgId),

    textMatches: (query) => textMatches(db, query),

    close: () => {
      connection.close();
    },
  };
}

function* pages(db: StatementCache, modelId: number): Generator<readonly IndexEntry[]> {
  let last = 0;
  for (;;) {
    const rows = db.all(
      `SELECT entry_key, org_id, entry_id, created_at_ms, code
       FROM memory_entry_vectors
       CROSS JOIN memory_entries USING (entry_key) CROSS JOIN memory_codes USING (vector_key)
       WHERE entry_key > ? AND model_id = ? ORDER BY entry_key LIMIT ?`,
      last,
      modelId,
      BigInt(PAGE_ENTRIES),
    );
    yield rows.map(indexEntryOf);
    if (rows.length < PAGE_ENTRIES) return;
    last = number(rows.at(-1)?.["entry_key"]);
  }
}

/** One statement for all takes half the time of one for each. */
function vectors(
  db: StatementCache,
  modelId: number,
  entryIds: readonly string[],
): readonly (Float32Array | undefined)[] {
  const rows = db.all(
    `SELECT entry_id, embedding
     FROM json_each(?) CROSS JOIN memory_entries ON entry_id = value
     CROSS JOIN memory_entry_vectors USING (entry_key)
     CROSS JOIN memory_vectors USING (vector_key)
     WHERE memory_entry_vectors.model_id = ?`,
    JSON.stringify(entryIds),
    modelId,
  );
  const blobs = new Map(rows.map((row) => [text(row["entry_id"]), blob(row["embedding"])]));
  return entryIds.map((entryId) => {
    const bytes = blobs.get(entryId);
    return bytes && vectorOfBlob(bytes);
  });
}

function matching(
  db: StatementCache,
  filter: EntryFilter,
  orgId: string | undefined,
): readonly string[] {
  const { sql, params } = conditionsOf(filter, orgId);
  return db
    .all(`SELECT entry_id FROM memory_entries WHERE ${sql}`, ...params)
    .map((row) => text(row["entry_id"]));
}

function textMatches(
  db: StatementCache,
  { text: words, limit, orgId, filter = {} }: TextQuery,
): readonly string[] {
  const query = anyWordOf(words);
  if (query === undefined) return [];
  const { sql, params } = conditionsOf(filter, orgId);
  return db
    .all(
      `SELECT entry_id
       FROM (SELECT rowid AS text_key, rank FROM memory_text WHERE memory_text MATCH ?)
       JOIN memory_entries ON entry_key = text_key
       WHERE ${sql} ORDER BY rank, created_at_ms DESC, entry_id LIMIT ?`,
      query,
      ...params,
      BigInt(limit),
    )
    .map((row) => text(row["entry_id"]));
}

/** An FTS5 query for any of a text's words, quoted so that none of them is read as an operator. */
function anyWordOf(words: string): string | undefined {
  const terms = new Set(words.match(/[\p{L}\p{M}\p{N}]+/gu));
  if (terms.size === 0) return undefined;
  return [...terms]
    .slice(0, WORDS_MAX)
    .map((term) => `"${term}"`)
    .join(" OR ");
}

function indexEntryOf(row: SqliteRow): IndexEntry {
  return {
    orgId: text(row["org_id"]),
    entryId: text(row["entry_id"]),
    createdAtMs: number(row["created_at_ms"]),
    code: blob(row["code"]),
  };
}

function blob(value: SqliteValue | undefined): Uint8Array {
  assert(value instanceof Uint8Array, "the column holds a blob");
  return value;
}
