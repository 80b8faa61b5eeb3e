import { DEFAULT_PRIVILEGES, publications } from "./postgres-queries/database.js";
import { CONSTRAINTS, INDEXES } from "./postgres-queries/indexes.js";
import { OPAQUE, UNMANAGED } from "./postgres-queries/opaque.js";
import {
  COLUMNS,
  POLICIES,
  RULES,
  SCHEMAS,
  SEQUENCES,
  STATISTICS,
  TABLES,
  TRIGGERS,
  VIEWS,
} from "./postgres-queries/relations.js";
import {
  AGGREGATES,
  CASTS,
  COLLATIONS,
  CONFIGURATIONS,
  DICTIONARIES,
  EXTENSIONS,
  FUNCTIONS,
  OPERATORS,
  SERVERS,
  TYPES,
  WRAPPERS,
} from "./postgres-queries/types.js";

/**
 * Every object of a PostgreSQL database, from its catalogs: one row each, whose id names catalog and
 * oid. Definitions are the engine's own, with every name qualified, because the search path is empty.
 * What belongs to the engine, to an extension or to us is left out; values that are null are not said.
 * @param version the server's, as `server_version_num`.
 * @param relations ids of the tables, views and sequences that are read with their parts; all of them when it is left
 * out. What is no relation is always read.
 */
export function objectsQuery(version: number, relations?: readonly string[]): string {
  const isRead = relations === undefined ? "" : `WHERE ${isAmong(relations)}`;
  return [
    ...[SCHEMAS, EXTENSIONS, COLLATIONS, TYPES, SEQUENCES, TABLES, COLUMNS, CONSTRAINTS, INDEXES],
    ...[VIEWS, FUNCTIONS, AGGREGATES, OPERATORS, CASTS, TRIGGERS, RULES, POLICIES, STATISTICS],
    ...[
      DICTIONARIES,
      CONFIGURATIONS,
      WRAPPERS,
      SERVERS,
      publications(version),
      DEFAULT_PRIVILEGES,
      OPAQUE,
      UNMANAGED,
    ],
  ]
    .map(
      // A union of names and texts would cut the texts, of a routine with its arguments, to a name's length.
      (
        query,
      ) => `SELECT o.id, o.kind, o.name::text, o.parent, jsonb_strip_nulls(o.values)::text AS values
    FROM (${query}) AS o (id, kind, name, parent, values) ${isRead}`,
    )
    .join("\nUNION ALL\n");
}

/** Whether a row is a relation of these, a part of one, or nothing of the sort. */
function isAmong(relations: readonly string[]): string {
  // Ids are letters and numbers: the engine's own.
  const chosen = `'{${relations.join(",")}}'::text[]`;
  return `CASE WHEN o.parent ~ '^r:' THEN o.parent = ANY (${chosen}) WHEN o.id ~ '^r:' THEN o.id = ANY (${chosen})
      ELSE true END`;
}

/** Entries of composite types in pg_class, and the types that they stand for. */
export const TYPE_RELATIONS: string = `SELECT 'r:' || oid AS relation, 't:' || reltype AS type FROM pg_class WHERE relkind = 'c'`;

/** Asks which of these relations no longer exist. */
export function goneQuery(relations: readonly { readonly id: string }[]): string {
  const oids = relations.map(({ id }) => id.slice("r:".length)).join(",");
  return `SELECT 'r:' || o AS id FROM unnest('{${oids}}'::oid[]) o WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = o)`;
}

/**
 * Tables, views and sequences of which the transaction under way has written an entry in some catalog. What it has only
 * deleted leaves nothing that tells.
 */
export const RELATIONS_WRITTEN: string = [
  "SELECT coalesce(i.indrelid, c.oid) AS oid FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.xmin = %",
  "SELECT attrelid FROM pg_attribute WHERE xmin = %",
  "SELECT adrelid FROM pg_attrdef WHERE xmin = %",
  "SELECT conrelid FROM pg_constraint WHERE xmin = %",
  "SELECT indrelid FROM pg_index WHERE xmin = %",
  "SELECT tgrelid FROM pg_trigger WHERE xmin = %",
  "SELECT polrelid FROM pg_policy WHERE xmin = %",
  "SELECT ev_class FROM pg_rewrite WHERE xmin = %",
  "SELECT inhrelid FROM pg_inherits WHERE xmin = %",
  "SELECT inhparent FROM pg_inherits WHERE xmin = %",
  "SELECT seqrelid FROM pg_sequence WHERE xmin = %",
  "SELECT objoid FROM pg_description WHERE classoid = 'pg_class'::regclass AND xmin = %",
  "SELECT objoid FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND xmin = %",
]
  .map((sql) => sql.replace("%", "(SELECT (txid_current() & 4294967295)::text::xid)"))
  .reduce((all, sql) => `${all} UNION ${sql}`)
  .replace(/^/, "SELECT 'r:' || w.oid AS id FROM (")
  .replace(/$/, ") w WHERE w.oid <> 0");

/** Which database this is, of all there are. */
export const DATABASE_ID: string = `SELECT s.system_identifier || '/' || d.oid AS id
  FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;
