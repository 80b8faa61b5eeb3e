/** Condition: a user schema, rather than a system schema. */
export const OWN_SCHEMA: string = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** A query for a rare kind of objects. */
export interface SeldomObjects {
  readonly query: string;
  /** SQL condition; false only if the query would return nothing. */
  readonly isThere: string;
}

/** Condition: a catalog has an entry that is not built in. */
export function madeHere(catalog: string, condition = "true"): string {
  return `EXISTS (SELECT FROM ${catalog} z WHERE z.oid >= 16384 AND (${condition}))`;
}

/** Condition: the object is no member of an extension. */
export function notOfExtension(catalog: string, oid: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass
    AND e.objid = ${oid} AND e.deptype = 'e')`;
}

/** Condition: PostgreSQL did not create the object together with a type. */
export function notOfType(catalog: string, oid: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass
    AND e.objid = ${oid} AND e.deptype IN ('e', 'i'))`;
}

/** Condition: a user relation. Members of extensions and Steward's own tables are excluded. */
export const OWN_RELATION: string = `${OWN_SCHEMA} AND ${notOfExtension("pg_class", "c.oid")}
  AND c.relname !~ '^_steward_'`;

/** The type letters of acldefault(). */
type AclType = "r" | "s" | "f" | "n" | "T" | "c" | "F" | "S";

/** Grants beyond the owner's default privileges, and revocations of default privileges. */
export function rights(acl: string, owner: string, type: AclType): string {
  return `'grants', ${granted(acl, owner, type)},
      'revoked', CASE WHEN ${acl} IS NOT NULL THEN ${difference(usual(owner, type), acl, owner)} END`;
}

/** Grants beyond the owner's default privileges. */
export function granted(acl: string, owner: string, type: AclType): string {
  return `CASE WHEN ${acl} IS NOT NULL THEN ${difference(acl, usual(owner, type), owner)} END`;
}

function usual(owner: string, type: AclType): string {
  return `acldefault('${type}', ${owner})`;
}

/** SQL for the entries of one access list that are missing in another, as a JSON list of parts. */
export function difference(acl: string, other: string, owner: string): string {
  return `(SELECT jsonb_agg(g.part ORDER BY g.part ->> 'grantee', g.part ->> 'privilege') FROM (
    SELECT ${grant("a", owner)} AS part FROM aclexplode(${acl}) a
    EXCEPT SELECT ${grant("b", owner)} FROM aclexplode(${other}) b) g)`;
}

/** SQL for the JSON of one access list entry: a part in the list of grants. */
export function grant(entry: string, owner: string): string {
  return `jsonb_build_object('grantee', CASE ${entry}.grantee WHEN 0 THEN 'PUBLIC' WHEN ${owner} THEN 'OWNER'
      ELSE quote_ident(pg_get_userbyid(${entry}.grantee)) END, 'privilege', ${entry}.privilege_type)
      || CASE WHEN ${entry}.is_grantable THEN '{"isGrantable": true}'::jsonb ELSE '{}'::jsonb END`;
}

/** The owner, unless it is the current role. */
export function owner(oid: string): string {
  return `nullif(quote_ident(pg_get_userbyid(${oid})), quote_ident(current_user))`;
}

/** A collation, unless it is the type's default. */
export function collation(oid: string, typeOid: string): string {
  return `(SELECT quote_ident(k.nspname) || '.' || quote_ident(l.collname) FROM pg_collation l
    JOIN pg_namespace k ON k.oid = l.collnamespace JOIN pg_type y ON y.oid = ${typeOid}
    WHERE l.oid = ${oid} AND l.oid <> y.typcollation)`;
}

/** Options of a foreign object, as in the OPTIONS clause. */
export function foreignOptions(options: string): string {
  return `(SELECT string_agg(quote_ident(o.option_name) || ' ' || quote_literal(o.option_value), ', '
      ORDER BY o.option_name) FROM pg_options_to_table(${options}) o)`;
}

/** The types of a routine's arguments, which distinguish overloaded routines. */
export function argumentTypes(types: string): string {
  return `coalesce((SELECT string_agg(format_type(u.type, NULL), ', ' ORDER BY u.at)
      FROM unnest(${types}) WITH ORDINALITY AS u (type, at)), '')`;
}

/** The firing mode of a trigger or rule, as in ALTER TABLE. */
export function firing(state: string): string {
  return `CASE ${state} WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END`;
}

/** Extensions that the object depends on (DEPENDS ON EXTENSION). */
export function neededExtensions(catalog: string, oid: string): string {
  return `'neededExtensions', (SELECT jsonb_agg(jsonb_build_object('label', x.extname) ORDER BY x.extname)
      FROM pg_depend e JOIN pg_extension x ON x.oid = e.refobjid
      WHERE e.classid = '${catalog}'::regclass AND e.objid = ${oid} AND e.deptype = 'x')`;
}

/**
 * Whether a column is an object of its own. A column that its table inherits is a detail of the table,
 * even if the table declares it too. One with an identity is an exception: only partitions inherit
 * identities.
 */
export function isOwnColumn(table: string, column: string): string {
  return `(${table}.relkind IN ('r', 'p', 'f') AND (${column}.attinhcount = 0
    OR ${column}.attidentity <> '' AND NOT ${table}.relispartition))`;
}
