import type { EntryFilter, IndexEntry, IndexSource, TextQuery } from "../../../memory/index.js";
import { vectorOfBlob } from "../../vector-blob.js";
import { Database, type PgValue } from "../database.js";
import { batchedLookup } from "../batched-lookup.js";
import { conditionsOf, FIRST_ID } from "./memory-rows.js";

/** Entries read at once while an index loads. */
const PAGE_ENTRIES = 1000;
/** Maximum number of words of a query. More words make a search slow and hardly better. */
const WORDS_MAX = 64;

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
  for (;;) {
    const rows = await db.query<CodeRow>(
      `SELECT org_id, entry_id, created_at_ms, code
       FROM memory_entry_vectors JOIN memory_vectors USING (org_id, model_id, sha256)
       WHERE (entry_id, org_id) > ($1, $2) AND model_id = $3 ORDER BY entry_id, org_id LIMIT $4`,
      [entryId, orgId, modelId, PAGE_ENTRIES],
    );
    yield rows.map(indexEntryOf);
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
  { text: words, limit, orgId, filter = {} }: TextQuery,
): Promise<readonly string[]> {
  const query = anyWordOf(words);
  if (query === undefined) return [];
  const values: PgValue[] = [query, limit];
  const rows = await db.query<{ readonly entry_id: string }>(
    `SELECT e.entry_id FROM memory_entries AS e
     WHERE steward_words(e.content) @@ to_tsquery('simple', $1)
       AND ${conditionsOf(filter, orgId, values)}
     ORDER BY ts_rank(steward_words(e.content), to_tsquery('simple', $1)) DESC,
       e.created_at_ms DESC, e.entry_id LIMIT $2`,
    values,
  );
  return rows.map((row) => row.entry_id);
}

/** A query for any of a text's words, quoted so that none of them is read as an operator. */
function anyWordOf(words: string): string | undefined {
  const terms = new Set(words.match(/[\p{L}\p{M}\p{N}]+/gu));
  if (terms.size === 0) return undefined;
  return [...terms]
    .slice(0, WORDS_MAX)
    .map((term) => `'${term}'`)
    .join(" | ");
}
