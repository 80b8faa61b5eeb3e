import { NIL_ORG_ID } from "@steward/kernel/caller.js";

/**
 * The audit log, which is one for all organizations: what belongs to all of them has the nil UUID. Times
 * are milliseconds since the epoch, UTC.
 */
export const auditTables: string = `
-- Records in the order of their tree, with what listings look for.
CREATE TABLE audit_records (
  record_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL
) STRICT;
CREATE INDEX audit_records_by_subject ON audit_records (org_id, subject, record_index);
CREATE INDEX audit_records_by_org ON audit_records (org_id, record_index);

-- The entries of records whose tile is not yet full.
CREATE TABLE audit_entries (
  record_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;

-- The entries of each full tile, compressed.
CREATE TABLE audit_blocks (
  block_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  entries BLOB NOT NULL
) STRICT;

-- Personal values are apart from the records, so that they can be erased.
CREATE TABLE audit_personal_values (
  record_index INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  salt TEXT NOT NULL,
  personal_values TEXT NOT NULL
) STRICT;

-- The personal values of each organization in each full tile, compressed.
CREATE TABLE audit_personal_blocks (
  org_id TEXT NOT NULL,
  block_index INTEGER NOT NULL,
  personal_values BLOB NOT NULL,
  PRIMARY KEY (org_id, block_index)
) STRICT;

-- The tiles of the tree.
CREATE TABLE audit_tiles (
  org_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  tile_index INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (org_id, level, tile_index)
) STRICT;

-- The tree's size and its newest checkpoint, one row.
CREATE TABLE audit_tree (
  org_id TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  checkpoint TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO audit_tree (org_id, size, checkpoint) VALUES ('${NIL_ORG_ID}', 0, '');

-- What waits to become a record.
CREATE TABLE audit_outbox (
  outbox_id INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  fact TEXT NOT NULL
) STRICT;

-- The index of the next record to send to each sink. One process owns the store, so that a sink needs no
-- lease here.
CREATE TABLE audit_export_positions (
  org_id TEXT NOT NULL,
  sink TEXT NOT NULL,
  next_index INTEGER NOT NULL,
  holder TEXT NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, sink)
) STRICT, WITHOUT ROWID;

-- The newest checkpoint that each witness has cosigned, with the cosignature. The column witness has the verifier key.
CREATE TABLE audit_cosignatures (
  org_id TEXT NOT NULL,
  witness TEXT NOT NULL,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (org_id, witness)
) STRICT, WITHOUT ROWID;
`;
