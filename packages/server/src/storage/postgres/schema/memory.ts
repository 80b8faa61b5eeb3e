/**
 * Memory entries and their vectors by model, with the codes that the search index loads at startup. Times are
 * milliseconds since the epoch, UTC. Each element is one statement.
 *
 * No table has a foreign key, whose check would be a statement for each row, and for a new entry's own vector a
 * lock of the entry in the write-ahead log. The transactions that add and delete entries hold the referenced
 * sessions, entries and vectors themselves, by one statement for each batch.
 */
export const memoryTables: readonly string[] = [
  // Sessions that have entries.
  `CREATE TABLE sessions (
     org_id uuid NOT NULL,
     session_id text NOT NULL,
     created_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, session_id)
   )`,

  // What is remembered. For a tool call's entry, sources are the statements that its content comes from, by
  // which policies decide who may have it.
  `CREATE TABLE memory_entries (
     org_id uuid NOT NULL,
     entry_id uuid NOT NULL,
     session_id text NOT NULL,
     content text NOT NULL,
     created_at_ms bigint NOT NULL,
     tool_name text,
     intent text,
     sources text,
     PRIMARY KEY (org_id, entry_id)
   )`,
  // Few entries of an organization have the same time, so their order by id needs no place in the index.
  `CREATE INDEX memory_entries_by_time ON memory_entries (org_id, created_at_ms)`,
  `CREATE INDEX memory_entries_by_session ON memory_entries (org_id, session_id, created_at_ms)`,

  // The words of an entry. Punctuation always separates words, so that the parser does not treat paths and
  // addresses as single tokens. The cost keeps the planner from reading all entries of an organization and
  // finding the words of each instead of using the index; it would not apply to a function in SQL, whose body
  // takes the place of its call.
  `CREATE FUNCTION steward_words(content text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE COST 10000 AS
     $$ BEGIN RETURN to_tsvector('simple'::regconfig,
          translate(content, '!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~', repeat(' ', 32))); END $$`,
  `CREATE INDEX memory_entries_by_word ON memory_entries USING gin (steward_words(content))`,

  // The models that vectors come from; one is active.
  `CREATE TABLE memory_models (
     org_id uuid NOT NULL,
     name text NOT NULL,
     model_id integer NOT NULL,
     dimension integer NOT NULL,
     is_active boolean NOT NULL,
     PRIMARY KEY (org_id, name)
   )`,
  `CREATE UNIQUE INDEX memory_models_active ON memory_models (org_id) WHERE is_active`,

  // An organization's vector is stored once for each model, under the SHA-256 of its bytes, and entries refer
  // to it: the default provider gives every entry the same vector of zeros.
  `CREATE TABLE memory_vectors (
     org_id uuid NOT NULL,
     model_id integer NOT NULL,
     sha256 bytea NOT NULL,
     code bytea NOT NULL,
     embedding bytea NOT NULL,
     PRIMARY KEY (org_id, model_id, sha256)
   )`,

  // The vectors of each entry. A transaction that deletes the last reference to a vector deletes the vector too.
  // The key begins with the entry, because a search over organizations looks vectors up by their entries alone.
  `CREATE TABLE memory_entry_vectors (
     org_id uuid NOT NULL,
     entry_id uuid NOT NULL,
     model_id integer NOT NULL,
     created_at_ms bigint NOT NULL,
     change_sequence bigint NOT NULL DEFAULT 0,
     sha256 bytea NOT NULL,
     PRIMARY KEY (entry_id, org_id, model_id)
   )`,
  `CREATE INDEX memory_entry_vectors_by_change ON memory_entry_vectors (org_id, change_sequence)`,
  `CREATE INDEX memory_entry_vectors_by_vector ON memory_entry_vectors (org_id, model_id, sha256)`,

  // Each entry with its vector, for operators.
  `CREATE VIEW memory_entry_embeddings AS
   SELECT ev.org_id, ev.entry_id, ev.model_id, ev.created_at_ms, v.embedding
   FROM memory_entry_vectors AS ev
   JOIN memory_vectors AS v
     ON v.org_id = ev.org_id AND v.model_id = ev.model_id AND v.sha256 = ev.sha256`,

  // Every transaction that changes an organization's memory takes the organization's next number from this table,
  // and holds that row's lock until it commits. Changes of one organization therefore become visible in the order
  // of their numbers, and a node that has read up to a number has missed no earlier change. Transaction ids do not
  // have this property: on a cluster each server has its own, and a transaction over several servers becomes
  // visible on them at different times.
  `CREATE TABLE memory_sequences (
     org_id uuid NOT NULL,
     last_sequence bigint NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id)
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX memory_sequences_by_time ON memory_sequences (changed_at_ms)`,

  // Deleted entries, from which nodes learn of the deletions.
  `CREATE TABLE memory_deletions (
     org_id uuid NOT NULL,
     change_sequence bigint NOT NULL,
     entry_id uuid NOT NULL,
     deleted_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, change_sequence, entry_id)
   )`,
];
