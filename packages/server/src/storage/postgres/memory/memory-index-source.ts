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
import { Database, type PgValue } from "../database.js";
import { batchedLookup } from "../batched-lookup.js";
import { conditionsOf, FIRST_ID } from "./memory-rows.js";

/** Entries read at once while an index loads. */
const PAGE_ENTRIES = 1000;
/**
 * A word that more entries have than this, by the planner's estimate, is not looked up. For rarer words the estimate is
 * too imprecise to say whether they are within {@link WORD_ENTRIES_MAX}.
 */
const FREQUENT_ENTRIES = 4 * WORD_ENTRIES_MAX;

/** Options for opening the source in the index's thread. */
export interface IndexSourceOptions {
  readonly url: string;
  /** The model whose vectors are read. */
  readonly modelId: number;
}

/** One model's vectors, read by the thread of the search index. */
export function openIndexSource({ url, modelId }: IndexSourceOptions): IndexSource {
  const db = new Database(url);
  const blobsOf = batchedLookup((entryIds, orgId) => blobs(db, modelId, entryIds, orgId));
  return {
    entries: () => pages(db, modelId),
    vectors: async (entryIds, orgId) => {
      const found = await blobsOf(entryIds, orgId);
      return entryIds.map((entryId) => {
        const bytes = found.get(entryId);
        return bytes && vectorOfBlob(bytes);
      });
    },
    matching: (filter, orgId) => matching(db, filter, orgId),
    textMatches: (query) => textMatches(db, query),
    close: () => db[Symbol.asyncDispose](),
  };
}

/** An entry with its code, in the form for the index. */
export interface CodeRow {
  readonly org_id: string;
  readonly entry_id: string;
  readonly created_at_ms: number;
  readonly code: Uint8Array;
}

/** Converts a row for the index. */
export function indexEntryOf(row: CodeRow): IndexEntry {
  return {
    orgId: row.org_id,
    entryId: row.entry_id,
    createdAtMs: row.created_at_ms,
    code: new Uint8Array(row.code),
  };
}

async function* pages(db: Database, modelId: number): AsyncGenerator<readonly IndexEntry[]> {
  let [orgId, entryId] = [FIRST_ID, FIRST_ID];
  let code = new Uint8Array();
  for (;;) {
    // An equal vector has an equal code, which is sent once for all entries that follow each other.
    const rows = await db.query<Omit<CodeRow, "code"> & { readonly code: Uint8Array | null }>(
      `SELECT org_id, entry_id, created_at_ms,
         CASE WHEN sha256 IS DISTINCT FROM lag(sha256) OVER (ORDER BY entry_id, org_id)
           THEN code END AS code
       FROM (
         SELECT org_id, entry_id, created_at_ms, sha256, code
         FROM memory_entry_vectors JOIN memory_vectors USING (org_id, model_id, sha256)
         WHERE (entry_id, org_id) > ($1, $2) AND model_id = $3
         ORDER BY entry_id, org_id LIMIT $4) AS page
       ORDER BY entry_id, org_id`,
      [entryId, orgId, modelId, PAGE_ENTRIES],
    );
    yield rows.map((row) => {
      if (row.code !== null) code = new Uint8Array(row.code);
      return { orgId: row.org_id, entryId: row.entry_id, createdAtMs: row.created_at_ms, code };
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ENTRIES) return;
    [orgId, entryId] = [last.org_id, last.entry_id];
  }
}

/** The stored vectors of entries. */
async function blobs(
  db: Database,
  modelId: number,
  entryIds: readonly string[],
  orgId: string | undefined,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ofOrganization =
    orgId === undefined
      ? ""
      : "AND memory_entry_vectors.org_id = $3 AND memory_vectors.org_id = $3";
  const rows = await db.queryPrepared<{
    readonly entry_id: string;
    readonly embedding: Uint8Array;
  }>(
    `SELECT entry_id, embedding
     FROM memory_entry_vectors JOIN memory_vectors USING (org_id, model_id, sha256)
     WHERE entry_id = ANY ($1::uuid[]) AND model_id = $2 ${ofOrganization}`,
    [entryIds, modelId, ...(orgId === undefined ? [] : [orgId])],
  );
  return new Map(rows.map((row) => [row.entry_id, row.embedding]));
}

async function matching(
  db: Database,
  filter: EntryFilter,
  orgId: string | undefined,
): Promise<readonly string[]> {
  const values: PgValue[] = [];
  const rows = await db.query<{ readonly entry_id: string }>(
    `SELECT e.entry_id FROM memory_entries AS e WHERE ${conditionsOf(filter, orgId, values)}`,
    values,
  );
  return rows.map((row) => row.entry_id);
}

async function textMatches(
  db: Database,
  { text, limit, orgId, filter = {} }: TextQuery,
): Promise<readonly string[]> {
  const words = queryWords(text);
  const frequent = await frequentWords(db, words);
  const isFrequent = (word: string): boolean => frequent.has(word);
  const scope = { orgId, filter };
  const rare = await entriesWith(
    db,
    words.filter((word) => !isFrequent(word)),
    scope,
  );
  const isEnough = rare.some(({ length }) => length > 0 && length <= WORD_ENTRIES_MAX);
  const ranked = isEnough
    ? rare
    : [...rare, ...(await entriesWith(db, words.filter(isFrequent), scope))];
  const times = new Map(ranked.flat().map((row) => [row.entry_id, row.created_at_ms]));
  const keys = ranked.map((list) => list.map((row) => row.entry_id));
  const matches = bestWordMatches(keys, limit).map(({ key: entryId, score }) => ({
    entryId,
    createdAtMs: times.get(entryId) ?? 0,
    score,
  }));
  return firstByWords(matches, limit);
}

/**
 * The words that by the statistics of the index too many entries have: an index of words finds all
 * entries with a word before it returns the first.
 */
async function frequentWords(db: Database, words: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.queryPrepared<{ readonly word: string }>(
    `SELECT e.word FROM pg_class AS i
     JOIN pg_index AS x ON x.indexrelid = i.oid
     JOIN pg_class AS t ON t.oid = x.indrelid
     JOIN pg_namespace AS n ON n.oid = i.relnamespace
     JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = i.relname
     CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs)
       AS e (word, share)
     WHERE i.oid = 'memory_entries_by_word'::regclass AND e.word = ANY ($1::text[])
       AND e.share * t.reltuples > $2`,
    [words, FREQUENT_ENTRIES],
  );
  return new Set(rows.map(({ word }) => word));
}

/** A row of an entry that has a word. */
interface WordRow {
  readonly place: number;
  readonly entry_id: string;
  readonly created_at_ms: number;
}

/** Of each word, the newest entries that have it. */
async function entriesWith(
  db: Database,
  words: readonly string[],
  { orgId, filter }: { readonly orgId: string | undefined; readonly filter: EntryFilter },
): Promise<readonly (readonly WordRow[])[]> {
  if (words.length === 0) return [];
  const values: PgValue[] = [WORD_ENTRIES_MAX + 1];
  const conditions = conditionsOf(filter, orgId, values);
  const parts = words.map((word, place) => {
    values.push(`'${word}'`);
    return `(SELECT ${String(place)} AS place, e.entry_id, e.created_at_ms FROM memory_entries AS e
      WHERE steward_words(e.content) @@ to_tsquery('simple', $${String(values.length)})
        AND ${conditions}
      ORDER BY e.created_at_ms DESC LIMIT $1)`;
  });
  const rows = await db.query<WordRow>(parts.join(" UNION ALL "), values);
  const lists = words.map((): WordRow[] => []);
  for (const row of rows) lists[row.place]?.push(row);
  return lists;
}
