/**
 * Memory entries, their vectors by model, and the codes that the search index loads at a start. Codes
 * repeat what the index needs to know of an entry, so that loading reads one table from end to end.
 * Times are milliseconds since the epoch, UTC.
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
  content TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  tool_name TEXT,
  intent TEXT,
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

CREATE TABLE memory_entry_embeddings (
  entry_id TEXT NOT NULL REFERENCES memory_entries (entry_id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES memory_models (model_id),
  embedding BLOB NOT NULL,
  PRIMARY KEY (entry_id, model_id)
) STRICT;

CREATE TABLE memory_codes (
  entry_id TEXT NOT NULL REFERENCES memory_entries (entry_id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES memory_models (model_id),
  org_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  code BLOB NOT NULL,
  PRIMARY KEY (entry_id, model_id)
) STRICT;

CREATE TABLE memory_retention (
  org_id TEXT NOT NULL PRIMARY KEY,
  age_max_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
