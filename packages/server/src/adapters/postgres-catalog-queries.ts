import { DEFAULT_PRIVILEGES, publications } from "./postgres-queries/database.js";
import { CONSTRAINTS, INDEXES } from "./postgres-queries/indexes.js";
import { OPAQUE, UNMANAGED } from "./postgres-queries/opaque.js";
import { madeHere, type SeldomObjects } from "./postgres-queries/shared.js";
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

/** Objects of sorts that nearly every database has. */
const COMMON: readonly string[] = [
  ...[SCHEMAS, EXTENSIONS, TYPES, SEQUENCES, TABLES, COLUMNS, CONSTRAINTS, INDEXES, VIEWS],
  ...[FUNCTIONS, TRIGGERS],
];

/** Objects of the other sorts. @param version the server's, as `server_version_num`. */
function seldom(version: number): readonly SeldomObjects[] {
  return [
    { query: COLLATIONS, isThere: madeHere("pg_collation") },
    { query: AGGREGATES, isThere: madeHere("pg_proc", "z.prokind = 'a'") },
    { query: OPERATORS, isThere: madeHere("pg_operator") },
    { query: CASTS, isThere: madeHere("pg_cast") },
    { query: RULES, isThere: madeHere("pg_rewrite", "z.rulename <> '_RETURN'") },
    { query: POLICIES, isThere: madeHere("pg_policy") },
    { query: STATISTICS, isThere: madeHere("pg_statistic_ext") },
    { query: DICTIONARIES, isThere: madeHere("pg_ts_dict") },
    { query: CONFIGURATIONS, isThere: madeHere("pg_ts_config") },
    { query: WRAPPERS, isThere: madeHere("pg_foreign_data_wrapper") },
    { query: SERVERS, isThere: madeHere("pg_foreign_server") },
    { query: publications(version), isThere: madeHere("pg_publication") },
    { query: DEFAULT_PRIVILEGES, isThere: madeHere("pg_default_acl") },
    ...OPAQUE,
    ...UNMANAGED,
  ];
}

/** What is read of a database's objects. */
export interface ObjectsChoice {
  /** The server's, as `server_version_num`. */
  readonly version: number;
  /** One letter, `t` or `f`, for each seldom sort, as {@link seldomSortsQuery} answers. */
  readonly seldomSorts: string;
  /**
   * Ids of the tables, views and sequences that are read with their parts; all of them when it is left out. What is no
   * relation is always read.
   */
  readonly relations?: readonly string[];
}

/** Asks which of the seldom sorts of objects the database may have: one letter, `t` or `f`, for each. */
export function seldomSortsQuery(version: number): string {
  const conditions = seldom(version).map(({ isThere }) => `left((${isThere})::text, 1)`);
  return `SELECT concat(${conditions.join(", ")}) AS sorts`;
}

/** Every seldom sort, whether or not the database has any of it. */
export function allSeldomSorts(version: number): string {
  return seldom(version)
    .map(() => "t")
    .join("");
}

/** The kind of the row that {@link objectsQuery} adds when the database has seldom sorts that were not chosen. */
export const MORE_SORTS = "more sorts";

/**
 * The objects of a PostgreSQL database, from its catalogs: one row each, whose id names catalog and
 * oid. Definitions are the engine's own, with every name qualified, because the search path is empty.
 * What belongs to the engine, to an extension or to us is left out; values that are null are not said.
 * The engine takes longer to plan the queries of the seldom sorts than to run everything: they are asked only where
 * there is such an object.
 */
export function objectsQuery({ version, seldomSorts, relations }: ObjectsChoice): string {
  const isRead = relations === undefined ? "" : `WHERE ${isAmong(relations)}`;
  const sorts = seldom(version);
  const chosen = sorts.filter((_, index) => seldomSorts[index] === "t");
  const others = sorts.filter((sort) => !chosen.includes(sort)).map(({ isThere }) => isThere);
  return [
    ...[...COMMON, ...chosen.map(({ query }) => query)].map(
      // A union of names and texts would cut the texts, of a routine with its arguments, to a name's length.
      (
        query,
      ) => `SELECT o.id, o.kind, o.name::text, o.parent, jsonb_strip_nulls(o.values)::text AS values
    FROM (${query}) AS o (id, kind, name, parent, values) ${isRead}`,
    ),
    ...(others.length === 0
      ? []
      : [`SELECT '', '${MORE_SORTS}', NULL, NULL, '{}' WHERE ${others.join(" OR ")}`]),
  ].join("\nUNION ALL\n");
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
