import {
  CHOOSING_PUBLICATIONS,
  DEFAULT_PRIVILEGES,
  publications,
} from "./postgres-queries/database.js";
import { CONSTRAINTS, INDEXES } from "./postgres-queries/indexes.js";
import { NAMED_CATALOGS, OPAQUE, SECURITY_LABEL_ID, UNMANAGED } from "./postgres-queries/opaque.js";
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

/** A catalog entry as the id of the object that it is a part of. */
function idOf(version: number, classid: string, objid: string, subid: string): string {
  const publishedSchema =
    version < CHOOSING_PUBLICATIONS
      ? ""
      : `WHEN 'pg_publication_namespace'::regclass THEN (SELECT 'b:' || u.pnpubid FROM pg_publication_namespace u WHERE u.oid = ${objid})`;
  return `CASE ${classid}
    WHEN 'pg_class'::regclass THEN CASE WHEN ${subid} > 0 THEN 'a:' || ${objid} || '.' || ${subid}
      ELSE coalesce((SELECT 'c:' || k.oid FROM pg_constraint k WHERE k.conindid = ${objid}
        AND k.contype IN ('p', 'u', 'x') LIMIT 1), 'r:' || ${objid}) END
    WHEN 'pg_attrdef'::regclass THEN (SELECT 'a:' || d.adrelid || '.' || d.adnum FROM pg_attrdef d WHERE d.oid = ${objid})
    WHEN 'pg_rewrite'::regclass THEN (SELECT CASE w.rulename WHEN '_RETURN' THEN 'r:' || w.ev_class ELSE 'w:' || w.oid END
      FROM pg_rewrite w WHERE w.oid = ${objid})
    WHEN 'pg_type'::regclass THEN (SELECT CASE WHEN t.typrelid <> 0 AND r.relkind <> 'c' THEN 'r:' || t.typrelid
      WHEN t.typelem <> 0 AND t.typcategory = 'A' THEN 't:' || t.typelem ELSE 't:' || t.oid END
      FROM pg_type t LEFT JOIN pg_class r ON r.oid = t.typrelid WHERE t.oid = ${objid})
    WHEN 'pg_constraint'::regclass THEN 'c:' || ${objid}
    WHEN 'pg_proc'::regclass THEN 'f:' || ${objid}
    WHEN 'pg_trigger'::regclass THEN 'g:' || ${objid}
    WHEN 'pg_policy'::regclass THEN 'p:' || ${objid}
    WHEN 'pg_extension'::regclass THEN 'x:' || ${objid}
    WHEN 'pg_collation'::regclass THEN 'l:' || ${objid}
    WHEN 'pg_operator'::regclass THEN 'o:' || ${objid}
    WHEN 'pg_cast'::regclass THEN 'k:' || ${objid}
    WHEN 'pg_statistic_ext'::regclass THEN 's:' || ${objid}
    WHEN 'pg_ts_dict'::regclass THEN 'd:' || ${objid}
    WHEN 'pg_ts_config'::regclass THEN 'y:' || ${objid}
    WHEN 'pg_foreign_data_wrapper'::regclass THEN 'v:' || ${objid}
    WHEN 'pg_foreign_server'::regclass THEN 'e:' || ${objid}
    WHEN 'pg_publication'::regclass THEN 'b:' || ${objid}
    WHEN 'pg_publication_rel'::regclass THEN (SELECT 'b:' || u.prpubid FROM pg_publication_rel u WHERE u.oid = ${objid})
    ${publishedSchema}
    ${["pg_amop", "pg_amproc"].map((catalog) => memberOf(catalog, objid)).join(" ")}
    ${NAMED_CATALOGS.map((catalog) => `WHEN '${catalog}'::regclass THEN 'z:' || ${objid} || '.${catalog}'`).join(" ")}
    WHEN 'pg_namespace'::regclass THEN 'n:' || ${objid} END`;
}

/** What is said of an operator or a function of an operator class or family is said of the whole. */
function memberOf(catalog: string, oid: string): string {
  return `WHEN '${catalog}'::regclass THEN (SELECT 'z:' || m.refobjid || '.' || m.refclassid::regclass FROM pg_depend m
      WHERE m.classid = '${catalog}'::regclass AND m.objid = ${oid}
      AND m.refclassid IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass) LIMIT 1)`;
}

/** Which catalog entry needs which. Things of an extension stand for the extension. @param version as above. */
export function dependenciesQuery(version: number): string {
  return `
  WITH edge AS (
    SELECT classid, objid, objsubid, refclassid, refobjid, refobjsubid FROM pg_depend
    WHERE deptype IN ('n', 'a', 'i') AND refobjid >= 16384
  ), extended AS (
    SELECT g.classid, g.objid, g.objsubid,
      coalesce(e.refclassid, g.refclassid) AS refclassid, coalesce(e.refobjid, g.refobjid) AS refobjid,
      CASE WHEN e.refobjid IS NULL THEN g.refobjsubid ELSE 0 END AS refobjsubid
    FROM edge g LEFT JOIN pg_depend e ON e.deptype = 'e' AND e.classid = g.refclassid AND e.objid = g.refobjid
  ), named AS (
    SELECT ${idOf(version, "classid", "objid", "objsubid")} AS dependent, ${idOf(version, "refclassid", "refobjid", "refobjsubid")} AS needed
    FROM extended
  )
  SELECT DISTINCT dependent, needed FROM named
  WHERE dependent IS NOT NULL AND needed IS NOT NULL AND dependent <> needed
  UNION ALL SELECT ${SECURITY_LABEL_ID}, ${idOf(version, "q.classoid", "q.objoid", "q.objsubid")} FROM pg_seclabel q`;
}

/** Entries of composite types in pg_class, and the types that they stand for. */
export const TYPE_RELATIONS: string = `SELECT 'r:' || oid AS relation, 't:' || reltype AS type FROM pg_class WHERE relkind = 'c'`;

/** Which database this is, of all there are. */
export const DATABASE_ID: string = `SELECT s.system_identifier || '/' || d.oid AS id
  FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;
