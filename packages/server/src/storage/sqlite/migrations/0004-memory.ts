/**
 * Memory entries, their vectors by model, and the codes that the search index loads at startup.
 * Times are milliseconds since the epoch, UTC.
 *
 * An organization's vector is stored once for each model, under the SHA-256 of its bytes, and
 * entries refer to it: the default provider gives every entry the same vector of zeros. A trigger
 * deletes a vector together with the last reference to it. Codes have their own table, because
 * loading the index then reads a quarter of the bytes. `memory_entry_embeddings` shows each entry
 * with its vector.
 */
export const createMemoryTables: string = `
CREATE TABLE sessions (
  org_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_entries (
  entry_key INTEGER PRIMARY KEY,
  entry_id TEXT NOT NULL UNIQUE,
  org_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  tool_name TEXT,
  intent TEXT,
  content TEXT NOT NULL,
  FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, session_id)
) STRICT;

CREATE INDEX memory_entries_by_time ON memory_entries (org_id, created_at_ms, entry_id);
CREATE INDEX memory_entries_by_session ON memory_entries (org_id, session_id, created_at_ms);

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

CREATE TABLE memory_models (
  model_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL,
  is_active INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX memory_models_active ON memory_models (is_active) WHERE is_active = 1;

CREATE TABLE memory_vectors (
  vector_key INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  model_id INTEGER NOT NULL REFERENCES memory_models (model_id),
  sha256 BLOB NOT NULL,
  embedding BLOB NOT NULL,
  UNIQUE (org_id, model_id, sha256)
) STRICT;

CREATE TABLE memory_codes (
  vector_key INTEGER PRIMARY KEY REFERENCES memory_vectors (vector_key) ON DELETE CASCADE,
  code BLOB NOT NULL
) STRICT;

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

CREATE VIEW memory_entry_embeddings AS
SELECT e.org_id, e.entry_id, v.model_id, e.created_at_ms, v.embedding
FROM memory_entry_vectors AS ev
JOIN memory_entries AS e ON e.entry_key = ev.entry_key
JOIN memory_vectors AS v ON v.vector_key = ev.vector_key;

CREATE TABLE memory_retention (
  org_id TEXT NOT NULL PRIMARY KEY,
  age_max_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
