import { NIL_ORG_ID } from "@steward/kernel/caller.js";

/**
 * The audit log, which is one for all organizations: what belongs to all of them has the nil UUID. Times
 * are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const auditTables: readonly string[] = [
  // A block: the records of one organization in one part of a batch, compressed. `kinds` has the kinds of its
  // records, each between spaces, for listings by kind. `batch_index` is the index of the part's first record. Personal values
  // are apart from the records, so that they can be erased.
  `CREATE TABLE audit_blocks (
     org_id uuid NOT NULL,
     batch_index bigint NOT NULL,
     from_ms bigint NOT NULL,
     until_ms bigint NOT NULL,
     kinds text NOT NULL,
     records bytea NOT NULL,
     personal_values bytea,
     PRIMARY KEY (org_id, batch_index)
   )`,
  `CREATE INDEX audit_blocks_in_order ON audit_blocks (batch_index)`,

  // The subjects of the records in each block.
  `CREATE TABLE audit_subjects (
     org_id uuid NOT NULL,
     subject text COLLATE "C" NOT NULL,
     batch_index bigint NOT NULL,
     PRIMARY KEY (org_id, subject, batch_index)
   )`,

  // The tiles of the tree.
  `CREATE TABLE audit_tiles (
     org_id uuid NOT NULL,
     level integer NOT NULL,
     tile_index bigint NOT NULL,
     hashes bytea NOT NULL,
     PRIMARY KEY (org_id, level, tile_index)
   )`,

  // The tree's size and its newest checkpoint, one row.
  `CREATE TABLE audit_tree (
     org_id uuid NOT NULL PRIMARY KEY,
     size bigint NOT NULL,
     checkpoint text NOT NULL
   )`,
  `INSERT INTO audit_tree (org_id, size, checkpoint) VALUES ('${NIL_ORG_ID}', 0, '')`,

  // What waits to become a record.
  `CREATE TABLE audit_outbox (
     org_id uuid NOT NULL,
     outbox_id uuid NOT NULL,
     at_ms bigint NOT NULL,
     fact text NOT NULL,
     PRIMARY KEY (org_id, outbox_id)
   )`,

  // The index of the next record to send to each sink, and the server that sends, with its lease.
  `CREATE TABLE audit_export_positions (
     org_id uuid NOT NULL,
     sink text COLLATE "C" NOT NULL,
     next_index bigint NOT NULL,
     holder text NOT NULL,
     lease_until_ms bigint NOT NULL,
     PRIMARY KEY (org_id, sink)
   )`,

  // The newest checkpoint that each witness has cosigned, with the cosignature. The column `witness` has the verifier key.
  `CREATE TABLE audit_cosignatures (
     org_id uuid NOT NULL,
     witness text COLLATE "C" NOT NULL,
     size bigint NOT NULL,
     note text NOT NULL,
     PRIMARY KEY (org_id, witness)
   )`,
];
