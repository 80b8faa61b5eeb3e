import { assert } from "@steward/kernel/assert.js";
import {
  bestWordMatches,
  firstByWords,
  queryWords,
  type EntryFilter,
  type IndexEntry,
  type IndexSource,
  type TextQuery,
} from "../../../memory/index.js";
import { WORD_ENTRIES_MAX } from "../../../memory/limits.js";
import { vectorOfBlob } from "../../vector-blob.js";
import { openConnection, StatementCache, type SqliteValue } from "../connection.js";
import { conditionsOf } from "./memory-rows.js";
import { number, text } from "../column-values.js";

/** Entries read at once while an index loads. */
const PAGE_ENTRIES = 1000;

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
    const row = db.get(
      `SELECT json_group_array(json_array(entry_key, org_id, entry_id, created_at_ms, vector_key))
         AS entries
       FROM (
         SELECT entry_key, org_id, entry_id, created_at_ms, vector_key
         FROM memory_entry_vectors CROSS JOIN memory_entries USING (entry_key)
         WHERE entry_key > ? AND model_id = ? ORDER BY entry_key LIMIT ?)`,
      last,
      modelId,
      BigInt(PAGE_ENTRIES),
    );
    const entries = JSON.parse(text(row?.["entries"])) as readonly PackedEntry[];
    const codes = codesOf(db, new Set(entries.map(([, , , , vectorKey]) => vectorKey)));
    yield entries.flatMap(([, orgId, entryId, createdAtMs, vectorKey]) => {
      const code = codes.get(vectorKey);
      return code === undefined ? [] : [{ orgId, entryId, createdAtMs, code }];
    });
    if (entries.length < PAGE_ENTRIES) return;
    last = entries.at(-1)?.[0] ?? last;
  }
}

/** The key, organization, id, time and vector of an entry. */
type PackedEntry = readonly [
  entryKey: number,
  orgId: string,
  entryId: string,
  createdAtMs: number,
  vectorKey: number,
];

/** Codes by the keys of their vectors, as views of one block: a row for each would take several times as long to read. */
function codesOf(
  db: StatementCache,
  vectorKeys: ReadonlySet<number>,
): ReadonlyMap<number, Uint8Array> {
  // A text may be made of any bytes, and the cast leaves them as they are.
  const row = db.get(
    `SELECT json_group_array(json_array(vector_key, length(code))) AS places,
       CAST(group_concat(code, '') AS BLOB) AS codes
     FROM memory_codes WHERE vector_key IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...vectorKeys]),
  );
  const places = JSON.parse(text(row?.["places"])) as readonly (readonly [number, number])[];
  const codes = new Map<number, Uint8Array>();
  if (places.length === 0) return codes;
  const block = blob(row?.["codes"]);
  let at = 0;
  for (const [vectorKey, length] of places) {
    codes.set(vectorKey, block.subarray(at, at + length));
    at += length;
  }
  return codes;
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
  const lists = queryWords(words).map((word) => entriesWith(db, word, { orgId, filter }));
  const scores = new Map(bestWordMatches(lists, limit).map(({ key, score }) => [key, score]));
  const matches = db
    .all(
      `SELECT entry_key, entry_id, created_at_ms FROM memory_entries
       WHERE entry_key IN (SELECT value FROM json_each(?))`,
      JSON.stringify([...scores.keys()]),
    )
    .map((row) => ({
      entryId: text(row["entry_id"]),
      createdAtMs: number(row["created_at_ms"]),
      score: scores.get(number(row["entry_key"])) ?? 0,
    }));
  return firstByWords(matches, limit);
}

/**
 * The keys of the entries that have a word, those that were added last. All organizations share the
 * index of words, so the entries of others are passed over.
 */
function entriesWith(
  db: StatementCache,
  word: string,
  { orgId, filter }: { readonly orgId: string | undefined; readonly filter: EntryFilter },
): readonly number[] {
  const { sql, params } = conditionsOf(filter, orgId);
  // A row for each key would take several times as long to read.
  const row = db.get(
    `SELECT json_group_array(entry_key) AS keys FROM (
       SELECT entry_key FROM memory_text CROSS JOIN memory_entries ON entry_key = memory_text.rowid
       WHERE memory_text MATCH ? AND ${sql} ORDER BY memory_text.rowid DESC LIMIT ?)`,
    // Quoted, so that no word is read as an operator.
    `"${word}"`,
    ...params,
    BigInt(WORD_ENTRIES_MAX + 1),
  );
  // The statement makes a list of numbers.
  return JSON.parse(text(row?.["keys"])) as readonly number[];
}

function blob(value: SqliteValue | undefined): Uint8Array {
  assert(value instanceof Uint8Array, "the column holds a blob");
  return value;
}
