/**
 * The objects of a PostgreSQL database, from its catalogs: one row each, whose id names catalog and
 * oid. Definitions are the engine's own, with every name qualified, because the search path is empty.
 * What belongs to the engine, to an extension or to us is left out.
 */

/** Schemas that are somebody's. */
const OWN_SCHEMA = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

function notOfExtension(catalog: string, oid: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass
    AND e.objid = ${oid} AND e.deptype = 'e')`;
}

/** Relations that are somebody's. */
const OWN_RELATION = `${OWN_SCHEMA} AND ${notOfExtension("pg_class", "c.oid")}
  AND c.relname !~ '^_steward_'`;

/** Who else may do what, as parts. The owner's own rights go without saying. */
function grants(acl: string, owner: string): string {
  return `(SELECT jsonb_agg(jsonb_build_object('grantee', CASE WHEN a.grantee = 0 THEN 'PUBLIC'
      ELSE quote_ident(pg_get_userbyid(a.grantee)) END, 'privilege', a.privilege_type)
      || CASE WHEN a.is_grantable THEN '{"isGrantable": true}'::jsonb ELSE '{}'::jsonb END
      ORDER BY pg_get_userbyid(a.grantee), a.privilege_type)
    FROM aclexplode(${acl}) a WHERE a.grantee <> ${owner})`;
}

/** The owner, where it is another role than the one that asks. */
function owner(oid: string): string {
  return `nullif(quote_ident(pg_get_userbyid(${oid})), quote_ident(current_user))`;
}

/** A collation, where it is not the type's own. */
function collation(oid: string, typeOid: string): string {
  return `(SELECT quote_ident(k.nspname) || '.' || quote_ident(l.collname) FROM pg_collation l
    JOIN pg_namespace k ON k.oid = l.collnamespace JOIN pg_type y ON y.oid = ${typeOid}
    WHERE l.oid = ${oid} AND l.oid <> y.typcollation)`;
}

const sequenceOptions = `'AS ' || format_type(q.seqtypid, NULL) || ' START WITH ' || q.seqstart
  || ' INCREMENT BY ' || q.seqincrement || ' MINVALUE ' || q.seqmin || ' MAXVALUE ' || q.seqmax
  || ' CACHE ' || q.seqcache || CASE WHEN q.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END`;

const SCHEMAS = `
  SELECT 'n:' || n.oid AS id, 'Schema' AS kind, n.nspname AS name, NULL AS parent,
    jsonb_build_object('comment', obj_description(n.oid, 'pg_namespace'),
      'grants', ${grants("n.nspacl", "n.nspowner")}) AS values
  FROM pg_namespace n WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_namespace", "n.oid")}`;

const EXTENSIONS = `
  SELECT 'x:' || x.oid, 'Extension', x.extname, NULL,
    jsonb_build_object('schemaName', n.nspname)
  FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname <> 'plpgsql'`;

const TABLES = `
  SELECT 'r:' || c.oid, 'Table', c.relname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      'grants', ${grants("c.relacl", "c.relowner")},
      'persistence', CASE c.relpersistence WHEN 'u' THEN 'unlogged' END,
      'options', array_to_string(c.reloptions, ', '),
      'rowSecurity', CASE WHEN c.relforcerowsecurity AND c.relrowsecurity THEN 'forced'
        WHEN c.relrowsecurity THEN 'enabled' WHEN c.relforcerowsecurity THEN 'forced only' END,
      'partitionKey', CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END,
      'partitionBound', pg_get_expr(c.relpartbound, c.oid),
      'inherits', (SELECT jsonb_agg(jsonb_build_object('table', jsonb_build_object('ref', 'r:' || i.inhparent))
        ORDER BY i.inhseqno) FROM pg_inherits i WHERE i.inhrelid = c.oid))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND ${OWN_RELATION}`;

const COLUMNS = `
  SELECT 'a:' || c.oid || '.' || a.attnum, 'Column', a.attname, 'r:' || c.oid,
    jsonb_build_object(
      'position', a.attnum,
      'type', format_type(a.atttypid, a.atttypmod),
      'notNull', CASE WHEN a.attnotnull THEN true END,
      'default', CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
      'generated', CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END,
      'storage', CASE a.attgenerated WHEN 's' THEN 'stored' WHEN 'v' THEN 'virtual' END,
      'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
      'sequenceOptions', (SELECT ${sequenceOptions} FROM pg_depend s
        JOIN pg_sequence q ON q.seqrelid = s.objid WHERE s.refclassid = 'pg_class'::regclass
        AND s.classid = 'pg_class'::regclass AND s.refobjid = c.oid AND s.refobjsubid = a.attnum
        AND s.deptype = 'i'),
      'collation', ${collation("a.attcollation", "a.atttypid")},
      'comment', col_description(c.oid, a.attnum),
      'grants', ${grants("a.attacl", "c.relowner")})
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    AND (a.attinhcount = 0 OR a.attislocal) AND NOT c.relispartition AND ${OWN_RELATION}`;

const SEQUENCES = `
  SELECT 'r:' || c.oid, 'Sequence', c.relname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      'grants', ${grants("c.relacl", "c.relowner")},
      'sequenceOptions', ${sequenceOptions},
      'ownedBy', (SELECT jsonb_build_object('ref', 'a:' || s.refobjid || '.' || s.refobjsubid)
        FROM pg_depend s WHERE s.classid = 'pg_class'::regclass AND s.objid = c.oid
        AND s.refclassid = 'pg_class'::regclass AND s.refobjsubid > 0 AND s.deptype = 'a'))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_sequence q ON q.seqrelid = c.oid
  WHERE ${OWN_RELATION} AND NOT EXISTS (SELECT FROM pg_depend s WHERE s.classid = 'pg_class'::regclass
    AND s.objid = c.oid AND s.deptype = 'i')`;

const VIEWS = `
  SELECT 'r:' || c.oid, CASE c.relkind WHEN 'v' THEN 'View' ELSE 'MaterializedView' END, c.relname,
    'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      'grants', ${grants("c.relacl", "c.relowner")},
      'options', array_to_string(c.reloptions, ', '),
      'shownColumns', (SELECT jsonb_agg(jsonb_build_object('columnName', a.attname,
          'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
      'definition', rtrim(pg_get_viewdef(c.oid), '; '))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('v', 'm') AND ${OWN_RELATION}`;

const CONSTRAINTS = `
  SELECT 'c:' || k.oid,
    CASE k.contype WHEN 'p' THEN 'PrimaryKey' WHEN 'u' THEN 'UniqueConstraint'
      WHEN 'c' THEN 'CheckConstraint' WHEN 'f' THEN 'ForeignKey' ELSE 'ExclusionConstraint' END,
    k.conname, CASE WHEN k.conrelid <> 0 THEN 'r:' || k.conrelid ELSE 't:' || k.contypid END,
    jsonb_build_object(
      'comment', obj_description(k.oid, 'pg_constraint'),
      'definition', pg_get_constraintdef(k.oid),
      'columns', CASE WHEN k.contype IN ('p', 'u', 'f') THEN
        (SELECT jsonb_agg(jsonb_build_object('column', jsonb_build_object('ref', 'a:' || k.conrelid || '.' || o.key))
          || CASE WHEN k.confkey IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('targetColumn',
            jsonb_build_object('ref', 'a:' || k.confrelid || '.' || k.confkey[o.at])) END ORDER BY o.at)
        FROM unnest(k.conkey) WITH ORDINALITY AS o (key, at)) END,
      'target', CASE WHEN k.contype = 'f' THEN jsonb_build_object('ref', 'r:' || k.confrelid) END,
      'onDelete', CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
        WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' END,
      'onUpdate', CASE k.confupdtype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
        WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' END,
      'deferrable', CASE WHEN k.condeferred THEN 'deferred' WHEN k.condeferrable THEN 'immediate' END)
  FROM pg_constraint k LEFT JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_type t ON t.oid = k.contypid
  JOIN pg_namespace n ON n.oid = k.connamespace
  WHERE k.contype IN ('p', 'u', 'c', 'f', 'x') AND (k.coninhcount = 0 OR k.conislocal) AND k.conparentid = 0
    AND ${OWN_SCHEMA} AND (c.oid IS NULL OR c.relname !~ '^_steward_')
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.deptype = 'e'
      AND ((e.classid = 'pg_class'::regclass AND e.objid = k.conrelid)
        OR (e.classid = 'pg_type'::regclass AND e.objid = k.contypid)))`;

const INDEXES = `
  SELECT 'r:' || c.oid, 'Index', c.relname, 'r:' || i.indrelid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'isUnique', CASE WHEN i.indisunique THEN true END,
      'isInvalid', CASE WHEN NOT i.indisvalid AND c.relkind = 'i' THEN true END,
      'definition', substring(substr(pg_get_indexdef(c.oid), length('CREATE INDEX ' || quote_ident(c.relname))
        + CASE WHEN i.indisunique THEN 8 ELSE 1 END) FROM ' USING (.*)$'),
      'where', pg_get_expr(i.indpred, i.indrelid),
      'parts', (SELECT jsonb_agg(CASE WHEN o.key = 0
          THEN jsonb_build_object('expression', pg_get_indexdef(c.oid, o.at::int, false))
          WHEN t.relkind = 'm' THEN jsonb_build_object('columnName', pg_get_indexdef(c.oid, o.at::int, false))
          ELSE jsonb_build_object('column', jsonb_build_object('ref', 'a:' || i.indrelid || '.' || o.key)) END
          ORDER BY o.at) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS o (key, at)))
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE t.relkind IN ('r', 'p', 'm') AND t.relname !~ '^_steward_' AND ${OWN_RELATION}
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x'))
    AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid)`;

const TYPES = `
  SELECT 't:' || t.oid, CASE t.typtype WHEN 'e' THEN 'EnumType' WHEN 'd' THEN 'Domain'
      WHEN 'r' THEN 'RangeType' ELSE 'CompositeType' END, t.typname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(t.oid, 'pg_type'),
      'owner', ${owner("t.typowner")},
      'labels', (SELECT jsonb_agg(jsonb_build_object('label', e.enumlabel) ORDER BY e.enumsortorder)
        FROM pg_enum e WHERE e.enumtypid = t.oid),
      'attributes', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('label', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'collation', ${collation("a.attcollation", "a.atttypid")}))
          ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND NOT a.attisdropped
          AND t.typtype = 'c'),
      'type', CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod)
        WHEN 'r' THEN (SELECT format_type(r.rngsubtype, NULL) FROM pg_range r WHERE r.rngtypid = t.oid) END,
      'notNull', CASE WHEN t.typnotnull THEN true END,
      'default', t.typdefault,
      'collation', CASE t.typtype WHEN 'd' THEN ${collation("t.typcollation", "t.typbasetype")} END)
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
  WHERE (t.typtype IN ('e', 'd', 'r') OR (t.typtype = 'c' AND c.relkind = 'c'))
    AND ${OWN_SCHEMA} AND ${notOfExtension("pg_type", "t.oid")}`;

const FUNCTIONS = `
  SELECT 'f:' || f.oid, CASE f.prokind WHEN 'p' THEN 'Procedure' ELSE 'Function' END,
    quote_ident(f.proname) || '(' || pg_get_function_identity_arguments(f.oid) || ')', 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(f.oid, 'pg_proc'),
      'owner', ${owner("f.proowner")},
      'returns', pg_get_function_result(f.oid),
      'signature', pg_get_function_arguments(f.oid),
      'grants', (SELECT jsonb_agg(g) FROM jsonb_array_elements(${grants("f.proacl", "f.proowner")}) g
        WHERE g ->> 'grantee' <> 'PUBLIC'),
      'definition', pg_get_functiondef(f.oid))
  FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
  WHERE f.prokind IN ('f', 'p', 'w') AND ${OWN_SCHEMA} AND ${notOfExtension("pg_proc", "f.oid")}`;

const TRIGGERS = `
  SELECT 'g:' || g.oid, 'Trigger', g.tgname, 'r:' || g.tgrelid,
    jsonb_build_object(
      'comment', obj_description(g.oid, 'pg_trigger'),
      'enabled', CASE g.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'A' THEN 'ENABLE ALWAYS' END,
      'definition', pg_get_triggerdef(g.oid))
  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT g.tgisinternal AND g.tgparentid = 0 AND ${OWN_RELATION}`;

const POLICIES = `
  SELECT 'p:' || p.oid, 'Policy', p.polname, 'r:' || p.polrelid,
    jsonb_build_object(
      'comment', obj_description(p.oid, 'pg_policy'),
      'definition', 'AS ' || CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END
        || ' FOR ' || CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
          WHEN 'd' THEN 'DELETE' ELSE 'ALL' END
        || ' TO ' || (SELECT string_agg(CASE WHEN o = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(o)) END, ', ' ORDER BY o)
          FROM unnest(p.polroles) o)
        || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
        || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${OWN_RELATION}`;

/** Every object; values that are null are not said. */
export const OBJECTS: string = [
  ...[SCHEMAS, EXTENSIONS, TYPES, SEQUENCES, TABLES, COLUMNS, CONSTRAINTS, INDEXES],
  ...[VIEWS, FUNCTIONS, TRIGGERS, POLICIES],
]
  .map(
    (query) => `SELECT o.id, o.kind, o.name, o.parent, jsonb_strip_nulls(o.values)::text AS values
    FROM (${query}) AS o (id, kind, name, parent, values)`,
  )
  .join("\nUNION ALL\n");

/** A catalog entry as the id of the object that it is a part of. */
function idOf(classid: string, objid: string, subid: string): string {
  return `CASE ${classid}
    WHEN 'pg_class'::regclass THEN CASE WHEN ${subid} > 0 THEN 'a:' || ${objid} || '.' || ${subid}
      ELSE coalesce((SELECT 'c:' || k.oid FROM pg_constraint k WHERE k.conindid = ${objid}
        AND k.contype IN ('p', 'u', 'x') LIMIT 1), 'r:' || ${objid}) END
    WHEN 'pg_attrdef'::regclass THEN (SELECT 'a:' || d.adrelid || '.' || d.adnum FROM pg_attrdef d WHERE d.oid = ${objid})
    WHEN 'pg_rewrite'::regclass THEN (SELECT 'r:' || w.ev_class FROM pg_rewrite w WHERE w.oid = ${objid})
    WHEN 'pg_type'::regclass THEN (SELECT CASE WHEN t.typrelid <> 0 AND r.relkind <> 'c' THEN 'r:' || t.typrelid
      WHEN t.typelem <> 0 AND t.typcategory = 'A' THEN 't:' || t.typelem ELSE 't:' || t.oid END
      FROM pg_type t LEFT JOIN pg_class r ON r.oid = t.typrelid WHERE t.oid = ${objid})
    WHEN 'pg_constraint'::regclass THEN 'c:' || ${objid}
    WHEN 'pg_proc'::regclass THEN 'f:' || ${objid}
    WHEN 'pg_trigger'::regclass THEN 'g:' || ${objid}
    WHEN 'pg_policy'::regclass THEN 'p:' || ${objid}
    WHEN 'pg_extension'::regclass THEN 'x:' || ${objid}
    WHEN 'pg_namespace'::regclass THEN 'n:' || ${objid} END`;
}

/** Which catalog entry needs which. Things of an extension stand for the extension. */
export const DEPENDENCIES: string = `
  WITH edge AS (
    SELECT classid, objid, objsubid, refclassid, refobjid, refobjsubid FROM pg_depend
    WHERE deptype IN ('n', 'a', 'i') AND refobjid >= 16384
  ), extended AS (
    SELECT g.classid, g.objid, g.objsubid,
      coalesce(e.refclassid, g.refclassid) AS refclassid, coalesce(e.refobjid, g.refobjid) AS refobjid,
      CASE WHEN e.refobjid IS NULL THEN g.refobjsubid ELSE 0 END AS refobjsubid
    FROM edge g LEFT JOIN pg_depend e ON e.deptype = 'e' AND e.classid = g.refclassid AND e.objid = g.refobjid
  ), named AS (
    SELECT ${idOf("classid", "objid", "objsubid")} AS dependent, ${idOf("refclassid", "refobjid", "refobjsubid")} AS needed
    FROM extended
  )
  SELECT DISTINCT dependent, needed FROM named
  WHERE dependent IS NOT NULL AND needed IS NOT NULL AND dependent <> needed`;

/** Entries of composite types in pg_class, and the types that they stand for. */
export const TYPE_RELATIONS: string = `SELECT 'r:' || oid AS relation, 't:' || reltype AS type FROM pg_class WHERE relkind = 'c'`;

/** Which database this is, of all there are. */
export const DATABASE_ID: string = `SELECT s.system_identifier || '/' || d.oid AS id
  FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;
