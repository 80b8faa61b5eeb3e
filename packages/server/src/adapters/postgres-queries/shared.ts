/** Schemas that are somebody's. */
export const OWN_SCHEMA: string = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** Objects of a sort that few databases have. */
export interface SeldomObjects {
  readonly query: string;
  /** SQL condition: false only where the query finds nothing. */
  readonly isThere: string;
}

/** Whether a catalog has an entry that the engine has not brought with it. */
export function madeHere(catalog: string, condition = "true"): string {
  return `EXISTS (SELECT FROM ${catalog} z WHERE z.oid >= 16384 AND (${condition}))`;
}

/** Leaves out what belongs to an extension. */
export function notOfExtension(catalog: string, oid: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass
    AND e.objid = ${oid} AND e.deptype = 'e')`;
}

/** Leaves out what the engine makes with a type and drops with it. */
export function notOfType(catalog: string, oid: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass
    AND e.objid = ${oid} AND e.deptype IN ('e', 'i'))`;
}

/** Relations that are somebody's. */
export const OWN_RELATION: string = `${OWN_SCHEMA} AND ${notOfExtension("pg_class", "c.oid")}
  AND c.relname !~ '^_steward_'`;

/** The letters that acldefault() knows sorts of objects by. */
type AclType = "r" | "s" | "f" | "n" | "T" | "c" | "F" | "S";

/** Who may do what beside what goes without saying, and who may not do what goes without saying. */
export function rights(acl: string, owner: string, type: AclType): string {
  return `'grants', ${granted(acl, owner, type)},
      'revoked', CASE WHEN ${acl} IS NOT NULL THEN ${difference(usual(owner, type), acl, owner)} END`;
}

/** Who may do what, beside what goes without saying. */
export function granted(acl: string, owner: string, type: AclType): string {
  return `CASE WHEN ${acl} IS NOT NULL THEN ${difference(acl, usual(owner, type), owner)} END`;
}

function usual(owner: string, type: AclType): string {
  return `acldefault('${type}', ${owner})`;
}

/** The entries of one access list that another has not, as parts. */
export function difference(acl: string, other: string, owner: string): string {
  return `(SELECT jsonb_agg(g.part ORDER BY g.part ->> 'grantee', g.part ->> 'privilege') FROM (
    SELECT ${grant("a", owner)} AS part FROM aclexplode(${acl}) a
    EXCEPT SELECT ${grant("b", owner)} FROM aclexplode(${other}) b) g)`;
}

/** One entry of an access list as a part. */
export function grant(entry: string, owner: string): string {
  return `jsonb_build_object('grantee', CASE ${entry}.grantee WHEN 0 THEN 'PUBLIC' WHEN ${owner} THEN 'OWNER'
      ELSE quote_ident(pg_get_userbyid(${entry}.grantee)) END, 'privilege', ${entry}.privilege_type)
      || CASE WHEN ${entry}.is_grantable THEN '{"isGrantable": true}'::jsonb ELSE '{}'::jsonb END`;
}

/** The owner, where it is another role than the one that asks. */
export function owner(oid: string): string {
  return `nullif(quote_ident(pg_get_userbyid(${oid})), quote_ident(current_user))`;
}

/** A collation, where it is not the type's own. */
export function collation(oid: string, typeOid: string): string {
  return `(SELECT quote_ident(k.nspname) || '.' || quote_ident(l.collname) FROM pg_collation l
    JOIN pg_namespace k ON k.oid = l.collnamespace JOIN pg_type y ON y.oid = ${typeOid}
    WHERE l.oid = ${oid} AND l.oid <> y.typcollation)`;
}

/** Options of a foreign object, as OPTIONS says them. */
export function foreignOptions(options: string): string {
  return `(SELECT string_agg(quote_ident(o.option_name) || ' ' || quote_literal(o.option_value), ', '
      ORDER BY o.option_name) FROM pg_options_to_table(${options}) o)`;
}

/** The types of a routine's arguments, which tell it from others of its name. */
export function argumentTypes(types: string): string {
  return `coalesce((SELECT string_agg(format_type(u.type, NULL), ', ' ORDER BY u.at)
      FROM unnest(${types}) WITH ORDINALITY AS u (type, at)), '')`;
}

/** When a trigger or a rule fires, as ALTER TABLE says it. */
export function firing(state: string): string {
  return `CASE ${state} WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END`;
}

/** Extensions that the object is dropped with, as DEPENDS ON EXTENSION asks for. */
export function neededExtensions(catalog: string, oid: string): string {
  return `'neededExtensions', (SELECT jsonb_agg(jsonb_build_object('label', x.extname) ORDER BY x.extname)
      FROM pg_depend e JOIN pg_extension x ON x.oid = e.refobjid
      WHERE e.classid = '${catalog}'::regclass AND e.objid = ${oid} AND e.deptype = 'x')`;
}
