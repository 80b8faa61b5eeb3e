/**
 * Memory entries, their vectors by model, and the codes that the search index loads at startup. Times are
 * milliseconds since the epoch, UTC.
 */
export const memoryTables: string = `
-- Sessions that have entries.
CREATE TABLE sessions (
  org_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, session_id)
) STRICT, WITHOUT ROWID;

-- What is remembered. For a tool call's entry, sources are the statements that its content comes from, by
-- which policies decide who may have it.
CREATE TABLE memory_entries (
  entry_key INTEGER PRIMARY KEY,
  entry_id TEXT NOT NULL UNIQUE,
  org_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  tool_name TEXT,
  intent TEXT,
  content TEXT NOT NULL,
  sources TEXT,
  FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, session_id)
) STRICT;
-- Few entries of an organization have the same time, so their order by id needs no place in the index.
CREATE INDEX memory_entries_by_time ON memory_entries (org_id, created_at_ms);
CREATE INDEX memory_entries_by_session ON memory_entries (org_id, session_id, created_at_ms);

-- The full-text index of the entries. Deleting an entry marks its words as deleted, and a purge removes them
-- later (text-index-purge.ts): removing them at once took fifty times longer, and writers waited.
CREATE VIRTUAL TABLE memory_text USING fts5 (
  content, content = 'memory_entries', content_rowid = 'entry_key', tokenize = 'unicode61'
);
CREATE TRIGGER memory_text_added AFTER INSERT ON memory_entries BEGIN
  INSERT INTO memory_text (rowid, content) VALUES (new.entry_key, new.content);
END;
CREATE TRIGGER memory_text_removed AFTER DELETE ON memory_entries BEGIN
  INSERT INTO memory_text (memory_text, rowid, content)
  VALUES ('delete', old.entry_key, old.content);
END;

-- The models that vectors come from; one is active.
CREATE TABLE memory_models (
  model_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL,
  is_active INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX memory_models_active ON memory_models (is_active) WHERE is_active = 1;

-- An organization's vector is stored once for each model, under the SHA-256 of its bytes, and entries refer
-- to it: the default provider gives every entry the same vector of zeros.
CREATE TABLE memory_vectors (
  vector_key INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  model_id INTEGER NOT NULL REFERENCES memory_models (model_id),
  sha256 BLOB NOT NULL,
  embedding BLOB NOT NULL,
  UNIQUE (org_id, model_id, sha256)
) STRICT;

-- The codes of the vectors have their own table, because loading the index then reads a quarter of the bytes.
CREATE TABLE memory_codes (
  vector_key INTEGER PRIMARY KEY REFERENCES memory_vectors (vector_key) ON DELETE CASCADE,
  code BLOB NOT NULL
) STRICT;

-- The vectors of each entry. The last reference to a vector takes the vector with it.
CREATE TABLE memory_entry_vectors (
  entry_key INTEGER NOT NULL REFERENCES memory_entries (entry_key) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES memory_models (model_id),
  vector_key INTEGER NOT NULL REFERENCES memory_vectors (vector_key),
  PRIMARY KEY (entry_key, model_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_entry_vectors_by_vector ON memory_entry_vectors (vector_key);
CREATE TRIGGER memory_vector_unused AFTER DELETE ON memory_entry_vectors
WHEN NOT EXISTS (SELECT 1 FROM memory_entry_vectors WHERE vector_key = old.vector_key)
BEGIN
  DELETE FROM memory_vectors WHERE vector_key = old.vector_key;
END;

-- Each entry with its vector, for operators.
CREATE VIEW memory_entry_embeddings AS
SELECT e.org_id, e.entry_id, v.model_id, e.created_at_ms, v.embedding
FROM memory_entry_vectors AS ev
JOIN memory_entries AS e ON e.entry_key = ev.entry_key
JOIN memory_vectors AS v ON v.vector_key = ev.vector_key;
`;
