import { NIL_ORG_ID } from "@steward/kernel/caller.js";

/**
 * The audit log: records in the order of their tree, the tiles of the tree, its newest checkpoint,
 * and what waits to become a record. `plan_changes.origins` tells who asked for the events of a
 * change. Personal values are apart from the records, so that they can be erased. Times are
 * milliseconds since the epoch, UTC. The tree is one for all organizations, under the nil UUID.
 */
export const createAuditTables: string = `
ALTER TABLE plan_changes ADD COLUMN origins TEXT;

CREATE TABLE audit_records (
  record_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;

CREATE INDEX audit_records_by_subject ON audit_records (org_id, subject, record_index);
CREATE INDEX audit_records_by_org ON audit_records (org_id, record_index);

CREATE TABLE audit_personal_values (
  record_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  salt TEXT NOT NULL,
  personal_values TEXT NOT NULL
) STRICT;

CREATE TABLE audit_tiles (
  org_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  tile_index INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (org_id, level, tile_index)
) STRICT;

CREATE TABLE audit_tree (
  org_id TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  checkpoint TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO audit_tree (org_id, size, checkpoint) VALUES ('${NIL_ORG_ID}', 0, '');

CREATE TABLE audit_outbox (
  outbox_id INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  fact TEXT NOT NULL
) STRICT;
`;
