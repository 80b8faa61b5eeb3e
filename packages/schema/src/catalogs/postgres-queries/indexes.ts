import { firing, isOwnColumn, neededExtensions, OWN_RELATION, OWN_SCHEMA } from "./shared.js";

/** A column as a part of a list; by name when the column is no object of its own. */
function columnPart(property: string, table: string, column: string): string {
  return `(SELECT CASE WHEN ${isOwnColumn("h", "a")}
      THEN jsonb_build_object('${property}', jsonb_build_object('ref', 'a:' || h.oid || '.' || a.attnum))
      ELSE jsonb_build_object('${property}Name', a.attname) END
    FROM pg_attribute a JOIN pg_class h ON h.oid = a.attrelid WHERE h.oid = ${table} AND a.attnum = ${column})`;
}

/** The parent's index, or its constraint, that a partition's index is attached to. */
function attachedTo(index: string): string {
  return `(SELECT jsonb_build_object('ref', coalesce((SELECT 'c:' || p.oid FROM pg_constraint p
      WHERE p.conindid = h.inhparent AND p.contype IN ('p', 'u', 'x')), 'r:' || h.inhparent))
    FROM pg_inherits h WHERE h.inhrelid = ${index})`;
}

/** Properties of an index, including one that belongs to a constraint. */
const indexDetails = `'isClustered', CASE WHEN i.indisclustered THEN true END,
      'isReplicaIdentity', CASE WHEN i.indisreplident THEN true END,
      'isInvalid', CASE WHEN NOT (i.indisvalid AND i.indisready AND i.indislive) THEN true END`;

/** Internal triggers of a constraint whose firing mode is not the default. */
const triggerStates = `(SELECT string_agg(f.proname || ' ' || ${firing("g.tgenabled")}, ', ' ORDER BY f.proname)
    FROM pg_trigger g JOIN pg_proc f ON f.oid = g.tgfoid
    WHERE g.tgconstraint = k.oid AND g.tgisinternal AND g.tgenabled <> 'O')`;

export const CONSTRAINTS: string = `
  SELECT 'c:' || k.oid,
    CASE k.contype WHEN 'p' THEN 'PrimaryKey' WHEN 'u' THEN 'UniqueConstraint'
      WHEN 'c' THEN 'CheckConstraint' WHEN 'f' THEN 'ForeignKey' ELSE 'ExclusionConstraint' END,
    k.conname, CASE WHEN k.conrelid <> 0 THEN 'r:' || k.conrelid ELSE 't:' || k.contypid END,
    jsonb_build_object(
      'comment', obj_description(k.oid, 'pg_constraint'),
      'definition', pg_get_constraintdef(k.oid),
      'columns', CASE WHEN k.contype IN ('p', 'u', 'f') THEN
        (SELECT jsonb_agg(${columnPart("column", "k.conrelid", "o.key")}
          || CASE WHEN k.confkey IS NULL THEN '{}'::jsonb
            ELSE ${columnPart("targetColumn", "k.confrelid", "k.confkey[o.at]")} END ORDER BY o.at)
        FROM unnest(k.conkey) WITH ORDINALITY AS o (key, at)) END,
      'target', CASE WHEN k.contype = 'f' THEN jsonb_build_object('ref', 'r:' || k.confrelid) END,
      'onDelete', CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
        WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' END,
      'onUpdate', CASE k.confupdtype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
        WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' END,
      'deferrable', CASE WHEN k.condeferred THEN 'deferred' WHEN k.condeferrable THEN 'immediate' END,
      'triggerStates', ${triggerStates},
      'attachedTo', CASE WHEN k.contype = 'f' AND k.conparentid <> 0 THEN jsonb_build_object('ref', 'c:' || k.conparentid) END)
    || CASE WHEN k.contype IN ('p', 'u', 'x') THEN (SELECT jsonb_build_object(
        'options', array_to_string(b.reloptions, ', '), 'indexComment', obj_description(b.oid, 'pg_class'),
        'attachedTo', ${attachedTo("b.oid")}, ${indexDetails})
        FROM pg_index i JOIN pg_class b ON b.oid = i.indexrelid WHERE b.oid = k.conindid) ELSE '{}'::jsonb END
  FROM pg_constraint k LEFT JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_type t ON t.oid = k.contypid
  JOIN pg_namespace n ON n.oid = k.connamespace
  WHERE (k.contype IN ('p', 'u', 'x') OR k.contype = 'c' AND k.coninhcount = 0
      OR k.contype = 'f' AND k.conrelid IS DISTINCT FROM (SELECT p.conrelid FROM pg_constraint p WHERE p.oid = k.conparentid))
    AND ${OWN_SCHEMA} AND (c.oid IS NULL OR c.relname !~ '^_steward_')
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.deptype = 'e'
      AND ((e.classid = 'pg_class'::regclass AND e.objid = k.conrelid)
        OR (e.classid = 'pg_type'::regclass AND e.objid = k.contypid)))`;

/** Storage parameters, as printed in an index's definition. */
const indexOptions = `(SELECT ' WITH (' || string_agg(quote_ident(o.option_name) || '=' || CASE
      WHEN quote_ident(o.option_value) = o.option_value THEN o.option_value ELSE quote_literal(o.option_value) END, ', ')
    || ')' FROM pg_options_to_table(c.reloptions) o)`;

/** The definition after USING, without the storage parameters, which precede the predicate. */
const indexDefinition = `(SELECT CASE WHEN strpos(d.said, w.options) > 0
      THEN overlay(d.said PLACING '' FROM strpos(d.said, w.options) FOR length(w.options)) ELSE d.said END
    FROM (SELECT substr(pg_get_indexdef(c.oid), 1 + length(concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END,
        'INDEX ', quote_ident(c.relname), ' ON ', CASE c.relkind WHEN 'I' THEN 'ONLY ' END, i.indrelid::regclass, ' USING ')))
        AS said) d, LATERAL (SELECT coalesce(${indexOptions}, '') AS options) w)`;

export const INDEXES: string = `
  SELECT 'r:' || c.oid, 'Index', c.relname, 'r:' || i.indrelid,
    jsonb_build_object(
      'comment', obj_description(c.oid, 'pg_class'),
      'isUnique', CASE WHEN i.indisunique THEN true END,
      ${indexDetails},
      ${neededExtensions("pg_class", "c.oid")},
      'options', array_to_string(c.reloptions, ', '),
      'attachedTo', ${attachedTo("c.oid")},
      'definition', ${indexDefinition},
      'where', pg_get_expr(i.indpred, i.indrelid),
      'parts', (SELECT jsonb_agg(CASE WHEN o.key = 0
          THEN jsonb_build_object('expression', pg_get_indexdef(c.oid, o.at::int, false))
          ELSE ${columnPart("column", "i.indrelid", "o.key")} END
          ORDER BY o.at) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS o (key, at)))
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE t.relkind IN ('r', 'p', 'm') AND t.relname !~ '^_steward_' AND ${OWN_RELATION}
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x'))`;
