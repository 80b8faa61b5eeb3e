import { quotedName } from "../quoted-name.js";
import type { Session } from "../session.js";

/** A table, view or other relation. */
export interface Relation {
  readonly oid: number;
  /** Schema and name, in lower case. */
  readonly name: string;
  /** In lower case. */
  readonly schema: string;
  readonly columns: readonly Column[];
  /** The query of a view or a materialized view, as a tree. */
  readonly tree: string | null;
}

interface Column {
  readonly number: number;
  /** In lower case. */
  readonly name: string;
  /** For a generated column: the columns in its expression. */
  readonly from: readonly number[] | null;
}

/** A foreign key. Actions are letters, as in `pg_constraint`. */
interface ForeignKey {
  readonly child: number;
  readonly columns: readonly number[];
  readonly parent: number;
  readonly keys: readonly number[];
  readonly deleted: string;
  readonly updated: string;
}

interface Trigger {
  readonly table: number;
  /** Bits of the events that fire the trigger, as in `pg_trigger`. */
  readonly events: number;
  readonly function: number;
  /** Columns of the new and of the old row that its condition or its function's source names. */
  readonly fromNew: readonly number[];
  readonly fromOld: readonly number[];
}

/** Columns by which a row can fail together: of a check, a foreign key or an index. */
interface Constraint {
  readonly table: number;
  readonly columns: readonly number[];
  /** Whether it is a unique index, or an exclusion, that has expressions or a condition. */
  readonly isPartlyUnique: boolean;
}

/** A function that an expression calls when rows are written: of a generated column, a check, an index or a domain. */
interface WriteExpression {
  /** The table, or the type that the statement itself names. */
  readonly owner: number;
  readonly function: number;
}

/** A function whose body PostgreSQL stores as text, so that its dependencies are unknown. */
export interface OpaqueFunction {
  readonly oid: number;
  readonly name: string;
  readonly isVolatile: boolean;
  /** Relations and functions whose names occur as words in its source. */
  readonly relations: readonly number[];
  readonly functions: readonly number[];
}

/** Catalog entries about relations and functions, and about directly related objects. */
export interface CatalogFacts {
  readonly relations: readonly Relation[];
  /** Pairs of a child and its parent: partitions, and inheritance children. */
  readonly inherits: readonly { readonly child: number; readonly parent: number }[];
  readonly keys: readonly ForeignKey[];
  readonly triggers: readonly Trigger[];
  readonly constraints: readonly Constraint[];
  readonly expressions: readonly WriteExpression[];
  /** Domains of the columns, and those that they and the asked types are made of. */
  readonly domains: readonly number[];
  readonly functions: readonly OpaqueFunction[];
}

/** OIDs from here on belong to user-defined objects. */
export const OWN_OID_MIN = 16_384;

/** OIDs of relations, functions and types. */
export interface Reached {
  readonly relations: readonly number[];
  readonly functions: readonly number[];
  readonly types: readonly number[];
}

/** What a statement goes through, by OID. */
export interface ReachedDefinitions extends Pick<Reached, "relations" | "functions"> {
  readonly domains: readonly number[];
}

/** Reads the catalog entries about user-defined relations, functions and types. */
export async function readFacts(
  session: Session,
  { relations, functions, types }: Reached,
): Promise<CatalogFacts> {
  const own = (oids: readonly number[]): string =>
    `{${oids.filter((oid) => oid >= OWN_OID_MIN).join(",")}}`;
  const [row] = await session.query(FACTS, [own(relations), own(functions), own(types)]);
  // The query builds this type.
  return JSON.parse(String(row?.["facts"])) as CatalogFacts;
}

/**
 * The words of a function's source, split once per function. OFFSET 0 keeps the planner from
 * splitting them again for each table.
 */
const SOURCE = `LATERAL (SELECT regexp_split_to_array(
    lower(coalesce(nullif(p.prosrc, ''), pg_get_function_sqlbody(p.oid), '')), '\\W+') AS words OFFSET 0) AS source`;

/**
 * What the expressions of tables and types use. PostgreSQL records dependencies on what is user-defined. The columns
 * of a composite type are those of its relation.
 */
const USED = `used (owner, classid, objid) AS (
    SELECT oid, 'pg_class'::regclass::oid, oid FROM near
    UNION SELECT oid, 'pg_type'::regclass, oid FROM unnest($3::oid[]) AS of_statement (oid)
    UNION SELECT indrelid, 'pg_class'::regclass, indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM near)
    UNION SELECT conrelid, 'pg_constraint'::regclass, oid FROM pg_constraint
      WHERE contype = 'c' AND conrelid IN (SELECT oid FROM near)
    UNION SELECT adrelid, 'pg_attrdef'::regclass, d.oid
      FROM pg_attrdef d JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
      WHERE attgenerated <> '' AND adrelid IN (SELECT oid FROM near)
    UNION SELECT used.owner, next.classid, next.objid FROM used, LATERAL (
      SELECT refclassid, refobjid FROM pg_depend d
      WHERE d.classid = used.classid AND d.objid = used.objid AND refobjid >= ${OWN_OID_MIN}
        AND refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass)
      UNION ALL SELECT 'pg_class'::regclass, typrelid FROM pg_type
      WHERE used.classid = 'pg_type'::regclass AND oid = used.objid AND typrelid <> 0
      UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint
      WHERE used.classid = 'pg_type'::regclass AND contypid = used.objid) AS next (classid, objid))`;

/** The columns that a trigger's condition and its function's source name as those of one of its rows. */
function rowColumns(row: "new" | "old"): string {
  return `(
    SELECT coalesce(jsonb_agg(attnum), '[]') FROM pg_attribute
    WHERE attrelid = tgrelid AND attnum > 0 AND NOT attisdropped AND lower(attname) IN (
      SELECT found[1] FROM pg_proc p, regexp_matches(
        lower(p.prosrc || ' ' || pg_get_triggerdef(pg_trigger.oid)), '\\m${row}\\s*\\.\\s*"?([\\w$]+)', 'g') AS found
      WHERE p.oid = tgfoid))`;
}

const FACTS = `
WITH RECURSIVE near AS (SELECT unnest($1::oid[]) AS oid), ${USED}
SELECT jsonb_build_object(
  'relations', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'oid', c.oid::int8, 'name', lower(nspname || '.' || relname), 'schema', lower(nspname),
      'columns', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'number', a.attnum, 'name', lower(a.attname),
          'from', CASE WHEN a.attgenerated <> '' THEN (
            SELECT jsonb_agg(other.attnum) FROM pg_attribute other
            WHERE other.attrelid = a.attrelid AND other.attnum > 0 AND
              strpos(pg_get_expr(d.adbin, d.adrelid), quote_ident(other.attname)) > 0) END)
          ORDER BY a.attnum), '[]')
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
      'tree', (
        SELECT ev_action::text FROM pg_rewrite
        WHERE ev_class = c.oid AND relkind IN ('v', 'm') AND rulename = '_RETURN'))), '[]')
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid IN (SELECT oid FROM near)),
  'inherits', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('child', inhrelid::int8, 'parent', inhparent::int8)), '[]')
    FROM pg_inherits WHERE inhrelid IN (SELECT oid FROM near) OR inhparent IN (SELECT oid FROM near)),
  'keys', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'child', conrelid::int8, 'columns', conkey, 'parent', confrelid::int8, 'keys', confkey,
      'deleted', confdeltype, 'updated', confupdtype)), '[]')
    FROM pg_constraint
    WHERE contype = 'f' AND (conrelid IN (SELECT oid FROM near) OR confrelid IN (SELECT oid FROM near))),
  'triggers', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'table', tgrelid::int8, 'events', tgtype, 'function', tgfoid::int8,
      'fromNew', ${rowColumns("new")}, 'fromOld', ${rowColumns("old")})), '[]')
    FROM pg_trigger
    WHERE tgrelid IN (SELECT oid FROM near) AND NOT tgisinternal AND tgenabled <> 'D'),
  'constraints', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'table', relation::int8, 'columns', numbers, 'isPartlyUnique', partly)), '[]')
    FROM (
      SELECT conrelid, to_jsonb(conkey), false FROM pg_constraint
      WHERE contype IN ('c', 'f') AND conrelid IN (SELECT oid FROM near)
      UNION ALL SELECT indrelid, (
        SELECT jsonb_agg(number) FROM (
          SELECT unnest(indkey::int2[])::int UNION SELECT refobjsubid FROM pg_depend
          WHERE classid = 'pg_class'::regclass AND objid = indexrelid
            AND refclassid = 'pg_class'::regclass AND refobjid = indrelid
          UNION SELECT attnum FROM pg_attribute
          WHERE attrelid = indrelid AND concat(indexprs, indpred) LIKE '%:varattno 0 %') AS used (number)
        WHERE number > 0), (indisunique OR indisexclusion) AND (indexprs IS NOT NULL OR indpred IS NOT NULL)
      FROM pg_index WHERE indrelid IN (SELECT oid FROM near)
    ) AS found (relation, numbers, partly) WHERE numbers IS NOT NULL),
  'expressions', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('owner', owner::int8, 'function', objid::int8)), '[]')
    FROM used WHERE classid = 'pg_proc'::regclass),
  'domains', (
    SELECT coalesce(jsonb_agg(DISTINCT objid::int8), '[]')
    FROM used JOIN pg_type t ON t.oid = objid WHERE classid = 'pg_type'::regclass AND typtype = 'd'),
  'functions', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'oid', p.oid::int8, 'name', lower(nspname || '.' || proname), 'isVolatile', provolatile = 'v',
      'relations', (
        SELECT coalesce(jsonb_agg(c.oid::int8), '[]') FROM pg_class c
        WHERE c.oid >= ${OWN_OID_MIN} AND relkind IN ('r', 'p', 'v', 'm', 'f') AND lower(relname) = ANY (words)),
      'functions', (
        SELECT coalesce(jsonb_agg(called.oid::int8), '[]') FROM pg_proc called
        WHERE called.oid >= ${OWN_OID_MIN} AND lower(called.proname) = ANY (words)))), '[]')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace, ${SOURCE} WHERE p.oid = ANY ($2::oid[]))
) AS facts`;

/** The OIDs of the relations that a statement names, if they exist. */
export async function findNamed(
  session: Session,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await session.query(
    `SELECT name, ${OF_NAME}::int8 AS oid
     FROM jsonb_to_recordset($1::jsonb) AS named (name text, quoted text, whole text)`,
    [JSON.stringify(names.map((name) => ({ name, ...spelt(name) })))],
  );
  return new Map(
    rows.flatMap(({ name, oid }) => (oid === null ? [] : [[String(name), Number(oid)] as const])),
  );
}

const OF_NAME = "coalesce(to_regclass(quoted), to_regclass(whole))::oid";

/** A name with a dot may be a schema and a name, or one name. */
function spelt(name: string): { readonly quoted: string; readonly whole: string } {
  return { quoted: quotedName(name.split(".")), whole: quotedName([name]) };
}

/**
 * A query for the version of everything that a description of these relations, functions and domains depends
 * on: the transactions that wrote the catalog rows, and the resolution of names.
 */
export function versionQuery(reached: ReachedDefinitions, names: readonly string[]): string {
  const own = (oids: readonly number[]): string =>
    ["0", ...oids.filter((oid) => oid >= OWN_OID_MIN)].join(",");
  const [tables, called] = [own(reached.relations), own(reached.functions)];
  const domains = own(reached.domains);
  const parts = [
    `SELECT 'c' || oid || ':' || xmin FROM pg_class WHERE oid IN (${tables})`,
    `SELECT 'a' || attrelid || ':' || attnum || ':' || xmin FROM pg_attribute WHERE attrelid IN (${tables}) AND attnum > 0`,
    `SELECT 'r' || oid || ':' || xmin FROM pg_rewrite WHERE ev_class IN (${tables})`,
    `SELECT 't' || oid || ':' || xmin FROM pg_trigger WHERE tgrelid IN (${tables})`,
    `SELECT 'p' || oid || ':' || xmin FROM pg_policy WHERE polrelid IN (${tables})`,
    `SELECT 'i' || inhrelid || ':' || xmin FROM pg_inherits WHERE inhrelid IN (${tables}) OR inhparent IN (${tables})`,
    `SELECT 'x' || indexrelid || ':' || xmin FROM pg_index WHERE indrelid IN (${tables})`,
    ...(domains === "0"
      ? []
      : [
          `SELECT 'd' || oid || ':' || xmin FROM pg_type WHERE oid IN (${domains})`,
          `SELECT 'e' || oid || ':' || xmin FROM pg_constraint WHERE contypid IN (${domains})`,
        ]),
    ...(called === "0"
      ? []
      : [`SELECT 'f' || oid || ':' || xmin FROM pg_proc WHERE oid IN (${called})`]),
    ...names.map((name, place) => {
      const { quoted, whole } = spelt(name);
      return `SELECT 'n${place}:' || coalesce(to_regclass(${literal(quoted)}), to_regclass(${literal(whole)}))::oid`;
    }),
  ];
  return `SELECT md5(string_agg(part, ' ' ORDER BY part)) AS version FROM (${parts.join(" UNION ALL ")}) AS parts (part)`;
}

/**
 * A query for a hash of the definitions of these relations, functions and domains, for what may differ from run to run
 * (functions that are not immutable, also those that read texts as these types, and relations of the system and
 * sequences), and for
 * whether row-level security restricts the current role on one of the relations.
 */
export function definitionsQuery(
  reached: ReachedDefinitions,
  inputTypes: readonly number[],
): string {
  const tables = ["0", ...reached.relations].join(",");
  const called = ["0", ...reached.functions].join(",");
  const domains = ["0", ...reached.domains].join(",");
  const parts = [
    `SELECT concat_ws(' ', 'a', attrelid, attnum, attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid)) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid IN (${tables}) AND attnum > 0`,
    `SELECT concat_ws(' ', 'r', oid, ev_enabled, md5(ev_action::text)) FROM pg_rewrite WHERE ev_class IN (${tables})`,
    `SELECT concat_ws(' ', 't', tgenabled, pg_get_triggerdef(oid)) FROM pg_trigger WHERE tgrelid IN (${tables}) AND NOT tgisinternal`,
    `SELECT concat_ws(' ', 'k', conrelid, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid IN (${tables})`,
    `SELECT concat_ws(' ', 'd', oid, typnotnull, typdefault) FROM pg_type WHERE oid IN (${domains})`,
    `SELECT concat_ws(' ', 'e', contypid, pg_get_constraintdef(oid)) FROM pg_constraint WHERE contypid IN (${domains})`,
    `SELECT concat_ws(' ', 'x', pg_get_indexdef(indexrelid)) FROM pg_index WHERE indrelid IN (${tables})`,
    `SELECT concat_ws(' ', 'p', polrelid, polname, polcmd, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) FROM pg_policy WHERE polrelid IN (${tables})`,
    `SELECT concat_ws(' ', 'f', oid, proowner, prosecdef, provolatile, proconfig, md5(prosrc), md5(pg_get_function_sqlbody(oid))) FROM pg_proc WHERE oid IN (${called}) AND oid >= ${OWN_OID_MIN}`,
  ];
  const read = ["0", ...inputTypes].join(",");
  return `SELECT md5(string_agg(part, ' ' ORDER BY part)) AS definitions,
    (SELECT coalesce(jsonb_agg(name), '[]') FROM (
      SELECT relname FROM pg_class WHERE oid IN (${tables}) AND (oid < ${OWN_OID_MIN} OR relkind = 'S')
      UNION SELECT proname FROM pg_proc WHERE provolatile <> 'i' AND (
        oid IN (${called}) OR oid IN (SELECT typinput FROM pg_type WHERE pg_type.oid IN (${read})))
      ORDER BY 1) AS found (name)) AS varying,
    EXISTS (SELECT FROM pg_class WHERE oid IN (${tables}) AND row_security_active(oid)) AS has_row_security
    FROM (${parts.join(" UNION ALL ")}) AS parts (part)`;
}

/** standard_conforming_strings is on in all our transactions. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
