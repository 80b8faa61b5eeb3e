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
 */
export function objectsQuery(version: number): string {
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
    FROM (${query}) AS o (id, kind, name, parent, values)`,
    )
    .join("\nUNION ALL\n");
}

/** Entries of composite types in pg_class, and the types that they stand for. */
export const TYPE_RELATIONS: string = `SELECT 'r:' || oid AS relation, 't:' || reltype AS type FROM pg_class WHERE relkind = 'c'`;

/** Which database this is, of all there are. */
export const DATABASE_ID: string = `SELECT s.system_identifier || '/' || d.oid AS id
  FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;
