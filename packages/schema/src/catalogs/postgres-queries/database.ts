import { difference, notOfExtension, owner } from "./shared.js";

/**
 * The `server_version_num` since which publications support schemas, and columns and rows of
 * tables.
 */
export const CHOOSING_PUBLICATIONS: number = 150_000;

/** The tables and schemas of a publication, as clauses. */
function published(version: number): string {
  const [choice, schemas] =
    version < CHOOSING_PUBLICATIONS
      ? ["", ""]
      : [
          `|| coalesce(' (' || (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs::int2[])) || ')', '')
      || coalesce(' WHERE ' || CASE WHEN pg_get_expr(r.prqual, r.prrelid) LIKE '(%)' THEN pg_get_expr(r.prqual, r.prrelid)
        ELSE '(' || pg_get_expr(r.prqual, r.prrelid) || ')' END, '')`,
          `UNION ALL SELECT 'TABLES IN SCHEMA ' || quote_ident(k.nspname) FROM pg_publication_namespace s
      JOIN pg_namespace k ON k.oid = s.pnnspid WHERE s.pnpubid = b.oid`,
        ];
  return `(SELECT jsonb_agg(jsonb_build_object('definition', p.clause) ORDER BY p.clause) FROM (
    SELECT 'TABLE ' || r.prrelid::regclass ${choice} AS clause
    FROM pg_publication_rel r WHERE r.prpubid = b.oid
    ${schemas}) p)`;
}

/**
 * Query for publications.
 * @param version the server's `server_version_num`.
 */
export function publications(version: number): string {
  return `
  SELECT 'b:' || b.oid, 'Publication', b.pubname, NULL,
    jsonb_build_object(
      'comment', obj_description(b.oid, 'pg_publication'),
      'owner', ${owner("b.pubowner")},
      'parts', ${published(version)},
      'definition', CASE WHEN b.puballtables THEN 'FOR ALL TABLES ' ELSE '' END || 'WITH (publish = '
        || quote_literal(concat_ws(', ', CASE WHEN b.pubinsert THEN 'insert' END, CASE WHEN b.pubupdate THEN 'update' END,
          CASE WHEN b.pubdelete THEN 'delete' END, CASE WHEN b.pubtruncate THEN 'truncate' END))
        || CASE WHEN b.pubviaroot THEN ', publish_via_partition_root = true' ELSE '' END
        || CASE WHEN to_jsonb(b) ->> 'pubgencols' = 's' THEN ', publish_generated_columns = stored' ELSE '' END || ')')
  FROM pg_publication b WHERE ${notOfExtension("pg_publication", "b.oid")}`;
}

/**
 * The built-in default privileges of a kind of objects. Default privileges of a schema only add to
 * them.
 */
const usual = `CASE WHEN p.defaclnamespace = 0 THEN acldefault(CASE p.defaclobjtype WHEN 'S' THEN 's'
    ELSE p.defaclobjtype END, p.defaclrole) END`;

export const DEFAULT_PRIVILEGES: string = `
  SELECT 'u:' || p.oid, 'DefaultPrivileges', concat_ws(' of ', w.sort, ${owner("p.defaclrole")}),
    'n:' || nullif(p.defaclnamespace, 0),
    jsonb_build_object('type', w.sort, 'owner', ${owner("p.defaclrole")},
      'grants', ${difference("p.defaclacl", usual, "p.defaclrole")},
      'revoked', ${difference(usual, "p.defaclacl", "p.defaclrole")})
  FROM pg_default_acl p, LATERAL (SELECT CASE p.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES'
    WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE 'LARGE OBJECTS' END AS sort) w`;
