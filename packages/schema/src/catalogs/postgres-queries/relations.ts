import {
  collation,
  firing,
  foreignOptions,
  grant,
  granted,
  isOwnColumn,
  neededExtensions,
  notOfExtension,
  OWN_RELATION,
  OWN_SCHEMA,
  owner,
  rights,
} from "./shared.js";

const sequenceOptions = `'AS ' || format_type(q.seqtypid, NULL) || ' START WITH ' || q.seqstart
  || ' INCREMENT BY ' || q.seqincrement || ' MINVALUE ' || q.seqmin || ' MAXVALUE ' || q.seqmax
  || ' CACHE ' || q.seqcache || CASE WHEN q.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END`;

/** A column's storage, compression and statistics target, where they are not the default. */
const columnSettings = `'columnStorage', CASE WHEN a.attstorage <> y.typstorage THEN CASE a.attstorage
        WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
      'compression', CASE a.attcompression WHEN 'p' THEN 'pglz' WHEN 'l' THEN 'lz4' END,
      'statisticsTarget', CASE WHEN a.attstattarget >= 0 THEN a.attstattarget::text END,
      'options', array_to_string(a.attoptions, ', ')`;

/** The same settings of an inherited column, where they differ from the parent's. */
const inheritedColumn = `(SELECT h.attnotnull, pg_get_expr(e.adbin, e.adrelid) AS preset
      FROM pg_inherits i JOIN pg_attribute h ON h.attrelid = i.inhparent AND h.attname = a.attname
      LEFT JOIN pg_attrdef e ON e.adrelid = h.attrelid AND e.adnum = h.attnum
      WHERE i.inhrelid = c.oid ORDER BY i.inhseqno LIMIT 1)`;

const columnDetails = `(SELECT jsonb_agg(s.part ORDER BY s.part ->> 'label') FROM (
    SELECT jsonb_strip_nulls(jsonb_build_object('comment', col_description(c.oid, a.attnum),
      'default', CASE WHEN a.attgenerated <> '' THEN NULL WHEN c.relkind IN ('r', 'p')
        THEN CASE WHEN pg_get_expr(d.adbin, d.adrelid) IS DISTINCT FROM p.preset
          THEN coalesce(pg_get_expr(d.adbin, d.adrelid), 'NULL') END
        ELSE pg_get_expr(d.adbin, d.adrelid) END,
      'generated', CASE WHEN a.attgenerated <> '' AND pg_get_expr(d.adbin, d.adrelid) <> p.preset
        THEN pg_get_expr(d.adbin, d.adrelid) END,
      'foreignOptions', ${foreignOptions("a.attfdwoptions")},
      'notNull', CASE WHEN a.attnotnull <> p.attnotnull THEN a.attnotnull END, ${columnSettings}))
      || jsonb_build_object('label', a.attname) AS part
    FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN LATERAL ${inheritedColumn} p ON c.relkind IN ('r', 'p')
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND NOT ${isOwnColumn("c", "a")}) s
    WHERE EXISTS (SELECT FROM jsonb_each_text(s.part) k WHERE k.key <> 'label' AND k.value <> ''))`;

/** Privileges on a relation, and on columns that are no objects of their own. */
const relationRights = `${rights("c.relacl", "c.relowner", "r")},
      'columnGrants', (SELECT jsonb_agg(${grant("x", "c.relowner")} || jsonb_build_object('columnName', a.attname)
        ORDER BY a.attname, x.grantee, x.privilege_type) FROM pg_attribute a, aclexplode(a.attacl) x
        WHERE a.attrelid = c.oid AND NOT a.attisdropped
        AND NOT ${isOwnColumn("c", "a")})`;

/** The access method of a table, unless it is the default. */
const accessMethod = `(SELECT quote_ident(m.amname) FROM pg_am m WHERE m.oid = c.relam AND m.amname <> 'heap')`;

/** A partition's copies of its parent's triggers, where their settings differ. */
const triggerDetails = `(SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('label', g.tgname,
      'comment', obj_description(g.oid, 'pg_trigger'),
      'enabled', CASE WHEN g.tgenabled <> h.tgenabled THEN ${firing("g.tgenabled")} END)) ORDER BY g.tgname)
    FROM pg_trigger g JOIN pg_trigger h ON h.oid = g.tgparentid WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
      AND (g.tgenabled <> h.tgenabled OR obj_description(g.oid, 'pg_trigger') IS NOT NULL))`;

/** A child's copies of its parents' checks, where their settings differ. */
const constraintDetails = `(SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('label', k.conname,
      'comment', obj_description(k.oid, 'pg_constraint'),
      'isValidated', CASE WHEN k.convalidated AND p.isUnchecked THEN true END)) ORDER BY k.conname)
    FROM pg_constraint k, LATERAL (SELECT bool_or(NOT h.convalidated) AS isUnchecked FROM pg_inherits i
      JOIN pg_constraint h ON h.conrelid = i.inhparent AND h.conname = k.conname AND h.contype = 'c'
      WHERE i.inhrelid = c.oid) p
    WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.coninhcount > 0
      AND (k.convalidated AND p.isUnchecked OR obj_description(k.oid, 'pg_constraint') IS NOT NULL))`;

export const SCHEMAS: string = `
  SELECT 'n:' || n.oid AS id, 'Schema' AS kind, n.nspname AS name, NULL AS parent,
    jsonb_build_object('comment', obj_description(n.oid, 'pg_namespace'),
      'owner', CASE WHEN n.nspname <> 'public' THEN ${owner("n.nspowner")} END,
      ${rights("n.nspacl", "n.nspowner", "n")}) AS values
  FROM pg_namespace n WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_namespace", "n.oid")}`;

export const TABLES: string = `
  SELECT 'r:' || c.oid, 'Table', c.relname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      ${relationRights},
      'persistence', CASE c.relpersistence WHEN 'u' THEN 'unlogged' END,
      'options', concat_ws(', ', array_to_string(c.reloptions, ', '), (SELECT 'toast.' ||
        array_to_string(t.reloptions, ', toast.') FROM pg_class t WHERE t.oid = c.reltoastrelid
        AND t.reloptions IS NOT NULL)),
      'rowSecurity', CASE WHEN c.relforcerowsecurity AND c.relrowsecurity THEN 'forced'
        WHEN c.relrowsecurity THEN 'enabled' WHEN c.relforcerowsecurity THEN 'forced only' END,
      'partitionKey', CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END,
      'partitionBound', pg_get_expr(c.relpartbound, c.oid),
      'replicaIdentity', CASE WHEN c.relkind <> 'f' THEN CASE c.relreplident WHEN 'f' THEN 'full' WHEN 'n' THEN 'nothing' END END,
      'columnDetails', CASE WHEN EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
        THEN ${columnDetails} END,
      'server', (SELECT quote_ident(s.srvname) FROM pg_foreign_table f JOIN pg_foreign_server s
        ON s.oid = f.ftserver WHERE f.ftrelid = c.oid),
      'foreignOptions', (SELECT ${foreignOptions("f.ftoptions")} FROM pg_foreign_table f WHERE f.ftrelid = c.oid),
      'ofType', CASE WHEN c.reloftype <> 0 THEN jsonb_build_object('ref', 't:' || c.reloftype) END,
      'accessMethod', ${accessMethod},
      'triggerDetails', ${triggerDetails},
      'constraintDetails', ${constraintDetails})
    || (SELECT jsonb_build_object('inherits', jsonb_agg(jsonb_build_object('table', jsonb_build_object('ref', 'r:' || i.inhparent))
        ORDER BY i.inhseqno), 'isDetachPending', CASE WHEN bool_or(i.inhdetachpending) THEN true END)
        FROM pg_inherits i WHERE i.inhrelid = c.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'f') AND ${OWN_RELATION}`;

export const COLUMNS: string = `
  SELECT 'a:' || c.oid || '.' || a.attnum, 'Column', a.attname, 'r:' || c.oid,
    jsonb_build_object(
      'position', a.attnum,
      'type', format_type(a.atttypid, a.atttypmod),
      'notNull', CASE WHEN a.attnotnull THEN true END,
      'notNullState', (SELECT nullif(concat_ws(' ', CASE WHEN k.connoinherit THEN 'NO INHERIT' END,
          CASE WHEN NOT k.convalidated THEN 'NOT VALID' END), '') FROM pg_constraint k
        WHERE k.conrelid = c.oid AND k.contype = 'n' AND k.conkey[1] = a.attnum),
      'default', CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
      'generated', CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END,
      'storage', CASE a.attgenerated WHEN 's' THEN 'stored' WHEN 'v' THEN 'virtual' END,
      'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
      'collation', ${collation("a.attcollation", "a.atttypid")},
      'comment', col_description(c.oid, a.attnum),
      'foreignOptions', ${foreignOptions("a.attfdwoptions")},
      ${columnSettings},
      'grants', CASE WHEN a.attacl IS NOT NULL THEN (SELECT jsonb_agg(${grant("x", "c.relowner")}
        ORDER BY x.grantee, x.privilege_type) FROM aclexplode(a.attacl) x) END)
    || CASE WHEN a.attidentity <> '' THEN (SELECT jsonb_build_object('sequenceOptions', ${sequenceOptions},
        'sequenceGrants', ${granted("z.relacl", "z.relowner", "s")})
        FROM pg_depend s JOIN pg_sequence q ON q.seqrelid = s.objid JOIN pg_class z ON z.oid = s.objid
        WHERE s.refclassid = 'pg_class'::regclass AND s.classid = 'pg_class'::regclass
        AND s.refobjid = c.oid AND s.refobjsubid = a.attnum AND s.deptype = 'i') ELSE '{}'::jsonb END
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type y ON y.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attnum > 0 AND NOT a.attisdropped
    AND ${isOwnColumn("c", "a")} AND ${OWN_RELATION}`;

export const SEQUENCES: string = `
  SELECT 'r:' || c.oid, 'Sequence', c.relname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      ${rights("c.relacl", "c.relowner", "s")},
      'persistence', CASE c.relpersistence WHEN 'u' THEN 'unlogged' END,
      'sequenceOptions', ${sequenceOptions})
    || coalesce((SELECT CASE WHEN ${isOwnColumn("h", "a")}
          THEN jsonb_build_object('ownedBy', jsonb_build_object('ref', 'a:' || h.oid || '.' || a.attnum))
          ELSE jsonb_build_object('ownedBy', jsonb_build_object('ref', 'r:' || h.oid), 'columnName', a.attname) END
        FROM pg_depend s JOIN pg_class h ON h.oid = s.refobjid
        JOIN pg_attribute a ON a.attrelid = h.oid AND a.attnum = s.refobjsubid
        WHERE s.classid = 'pg_class'::regclass AND s.objid = c.oid
        AND s.refclassid = 'pg_class'::regclass AND a.attnum > 0 AND s.deptype = 'a'), '{}')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_sequence q ON q.seqrelid = c.oid
  WHERE ${OWN_RELATION} AND NOT EXISTS (SELECT FROM pg_depend s WHERE s.classid = 'pg_class'::regclass
    AND s.objid = c.oid AND s.deptype = 'i')`;

export const VIEWS: string = `
  SELECT 'r:' || c.oid, CASE c.relkind WHEN 'v' THEN 'View' ELSE 'MaterializedView' END, c.relname,
    'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'owner', ${owner("c.relowner")},
      ${relationRights},
      'columnDetails', ${columnDetails},
      'options', array_to_string(c.reloptions, ', '),
      'accessMethod', ${accessMethod},
      ${neededExtensions("pg_class", "c.oid")},
      'shownColumns', (SELECT jsonb_agg(jsonb_build_object('columnName', a.attname,
          'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
      'definition', rtrim(pg_get_viewdef(c.oid), '; '))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('v', 'm') AND ${OWN_RELATION}`;

export const TRIGGERS: string = `
  SELECT 'g:' || g.oid, 'Trigger', g.tgname, 'r:' || g.tgrelid,
    jsonb_build_object(
      'comment', obj_description(g.oid, 'pg_trigger'),
      'enabled', nullif(${firing("g.tgenabled")}, 'ENABLE'),
      ${neededExtensions("pg_trigger", "g.oid")},
      'definition', pg_get_triggerdef(g.oid))
  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT g.tgisinternal AND g.tgparentid = 0 AND ${OWN_RELATION}`;

export const RULES: string = `
  SELECT 'w:' || w.oid, 'Rule', w.rulename, 'r:' || w.ev_class,
    jsonb_build_object(
      'comment', obj_description(w.oid, 'pg_rewrite'),
      'enabled', nullif(${firing("w.ev_enabled")}, 'ENABLE'),
      'definition', rtrim(pg_get_ruledef(w.oid), '; '))
  FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE w.rulename <> '_RETURN' AND ${OWN_RELATION}`;

export const POLICIES: string = `
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

export const STATISTICS: string = `
  SELECT 's:' || s.oid, 'Statistics', s.stxname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(s.oid, 'pg_statistic_ext'),
      'owner', ${owner("s.stxowner")},
      'statisticsTarget', CASE WHEN s.stxstattarget >= 0 THEN s.stxstattarget::text END,
      'definition', substr(pg_get_statisticsobjdef(s.oid), length('CREATE STATISTICS ' || quote_ident(n.nspname)
        || '.' || quote_ident(s.stxname)) + 2))
  FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace
  WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_statistic_ext", "s.oid")}`;
