/**
 * Memory entries and their vectors by model, with the codes that the search index loads at a start.
 * Times are milliseconds since the epoch, UTC. One statement to an entry.
 *
 * `change_xid` is the transaction that wrote a row: nodes follow each other's entries by reading what
 * their last snapshot did not show, whatever the order of the commits was.
 */
export const createMemoryTables: readonly string[] = [
  `CREATE TABLE sessions (
     org_id uuid NOT NULL,
     session_id text NOT NULL,
     created_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, session_id)
   )`,

  `CREATE TABLE memory_entries (
     org_id uuid NOT NULL,
     entry_id uuid NOT NULL,
     session_id text NOT NULL,
     content text NOT NULL,
     created_at_ms bigint NOT NULL,
     tool_name text,
     intent text,
     PRIMARY KEY (org_id, entry_id),
     FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, session_id)
   )`,
  `CREATE INDEX memory_entries_by_time ON memory_entries (org_id, created_at_ms, entry_id)`,
  `CREATE INDEX memory_entries_by_session ON memory_entries (org_id, session_id, created_at_ms)`,

  // Punctuation parts words here, whatever the parser would make of a path or an address.
  `CREATE FUNCTION steward_words(content text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS
     $$ SELECT to_tsvector('simple'::regconfig,
          translate(content, '!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~', repeat(' ', 32))) $$`,
  `CREATE INDEX memory_entries_by_word ON memory_entries USING gin (steward_words(content))`,

  `CREATE TABLE memory_retention (
     org_id uuid NOT NULL,
     age_max_ms bigint NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  `CREATE TABLE memory_models (
     org_id uuid NOT NULL,
     name text NOT NULL,
     model_id integer NOT NULL,
     dimension integer NOT NULL,
     is_active boolean NOT NULL,
     PRIMARY KEY (org_id, name)
   )`,
  `CREATE UNIQUE INDEX memory_models_active ON memory_models (org_id) WHERE is_active`,

  `CREATE TABLE memory_entry_embeddings (
     org_id uuid NOT NULL,
     entry_id uuid NOT NULL,
     model_id integer NOT NULL,
     created_at_ms bigint NOT NULL,
     change_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
     code bytea NOT NULL,
     embedding bytea NOT NULL,
     PRIMARY KEY (org_id, entry_id, model_id),
     FOREIGN KEY (org_id, entry_id) REFERENCES memory_entries (org_id, entry_id) ON DELETE CASCADE
   )`,
  `CREATE INDEX memory_embeddings_by_entry ON memory_entry_embeddings (entry_id)`,
  `CREATE INDEX memory_embeddings_by_change ON memory_entry_embeddings (change_xid)`,

  `CREATE TABLE memory_deletions (
     org_id uuid NOT NULL,
     entry_id uuid NOT NULL,
     change_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
     deleted_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, entry_id)
   )`,
  `CREATE INDEX memory_deletions_by_change ON memory_deletions (change_xid)`,
];
