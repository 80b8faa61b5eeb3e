import type { KnownStatement } from "../../sql-target/admission.js";
import type { Session } from "../session.js";
import { OWN_OID_MIN } from "./reached-catalog.js";

/** A relation that a change of other objects changes. */
export interface Dependent {
  readonly relation: number;
  /** A DROP of the objects drops it with its rows, and not only parts of it. */
  readonly losesRows: boolean;
}

/** Catalogs of objects with a schema: the prefix of their columns, and the function that tells whether one is found without it. */
const CATALOGS = [
  ["pg_class", "rel", "pg_table_is_visible"],
  ["pg_type", "typ", "pg_type_is_visible"],
  ["pg_proc", "pro", "pg_function_is_visible"],
  ["pg_operator", "opr", "pg_operator_is_visible"],
  ["pg_opclass", "opc", "pg_opclass_is_visible"],
  ["pg_opfamily", "opf", "pg_opfamily_is_visible"],
  ["pg_collation", "coll", "pg_collation_is_visible"],
  ["pg_statistic_ext", "stx", "pg_statistics_obj_is_visible"],
  ["pg_ts_config", "cfg", "pg_ts_config_is_visible"],
  ["pg_ts_dict", "dict", "pg_ts_dict_is_visible"],
] as const;

/** A condition for the object of a catalog that `named` names. */
const isNamed = (prefix: string, isVisible: string): string =>
  `o.oid >= ${OWN_OID_MIN} AND ${prefix}name = name AND (schema IS NULL AND ${isVisible}(o.oid)
    OR ${prefix}namespace = (SELECT oid FROM pg_namespace WHERE nspname = schema))`;

const NAMED = "jsonb_to_recordset($1::jsonb) AS named (schema text, name text, is_schema boolean)";

const DEPENDENTS = `
WITH RECURSIVE named AS (SELECT * FROM ${NAMED}),
depending (classid, objid, objsubid) AS (
  SELECT seed.* FROM (
    SELECT 'pg_namespace'::regclass::oid, oid, 0 FROM named JOIN pg_namespace ON is_schema AND nspname = name
    ${CATALOGS.map(
      ([catalog, prefix, isVisible]) =>
        `UNION ALL SELECT '${catalog}'::regclass, o.oid, 0 FROM named JOIN ${catalog} o ON NOT is_schema AND ${isNamed(prefix, isVisible)}`,
    ).join(" ")}) AS seed
  UNION SELECT next.* FROM depending d, LATERAL (
    SELECT classid, objid, objsubid FROM pg_depend
    WHERE refclassid = d.classid AND refobjid = d.objid AND (d.objsubid = 0 OR refobjsubid = d.objsubid)
      AND ($2::boolean OR deptype <> 'n')
    UNION ALL SELECT 'pg_class'::regclass, ev_class, 0
    FROM pg_rewrite r JOIN pg_class c ON c.oid = ev_class AND relkind IN ('v', 'm')
    WHERE d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid) AS next)
SELECT relation::int8, bool_or(loses_rows) AS loses_rows FROM (
  SELECT objid, objsubid = 0 AND relkind IN ('r', 'p', 'f') FROM depending JOIN pg_class c ON c.oid = objid
  WHERE classid = 'pg_class'::regclass AND relkind IN ('r', 'p', 'v', 'm', 'f')
  UNION ALL SELECT indrelid, false FROM depending JOIN pg_index ON indexrelid = objid
  WHERE classid = 'pg_class'::regclass
  ${[
    ["pg_attrdef", "adrelid"],
    ["pg_constraint", "conrelid"],
    ["pg_policy", "polrelid"],
    ["pg_rewrite", "ev_class"],
    ["pg_statistic_ext", "stxrelid"],
    ["pg_trigger", "tgrelid"],
  ]
    .map(
      ([catalog, relation]) =>
        `UNION ALL SELECT ${relation}, false FROM depending JOIN ${catalog} o ON o.oid = objid WHERE classid = '${catalog}'::regclass
         ${catalog === "pg_trigger" ? "AND NOT tgisinternal" : ""}`,
    )
    .join(" ")}) AS found (relation, loses_rows)
WHERE relation <> 0 GROUP BY relation`;

/** The relations that depend on the objects that a change of the schema names, those objects included. */
export async function findDependents(
  session: Session,
  { changedObjects = [], deletes }: KnownStatement,
): Promise<readonly Dependent[]> {
  if (changedObjects.length === 0) return [];
  const named = changedObjects.map(({ name, isSchema }) => ({
    ...spelt(name),
    is_schema: isSchema,
  }));
  // Without CASCADE, nothing is dropped that only refers to what is.
  const rows = await session.query(DEPENDENTS, [
    JSON.stringify(named),
    String(deletes !== "dropped"),
  ]);
  return rows.map(({ relation, loses_rows: losesRows }) => ({
    relation: Number(relation),
    losesRows: losesRows === "t",
  }));
}

const CALLED = `
WITH named AS (SELECT * FROM ${NAMED})
SELECT o.oid::int8 FROM named JOIN pg_proc o ON ${isNamed("pro", "pg_function_is_visible")}
UNION SELECT oprcode::oid::int8 FROM named JOIN pg_operator o ON ${isNamed("opr", "pg_operator_is_visible")}`;

/** The functions of the database that these names of functions and operators may mean. */
export async function findCalled(
  session: Session,
  names: readonly (readonly string[])[],
): Promise<readonly number[]> {
  if (names.length === 0) return [];
  const rows = await session.query(CALLED, [JSON.stringify(names.map(spelt))]);
  return rows.map(({ oid }) => Number(oid));
}

function spelt(name: readonly string[]): { readonly schema: string | null; readonly name: string } {
  return { schema: name.at(-2) ?? null, name: name.at(-1) ?? "" };
}
