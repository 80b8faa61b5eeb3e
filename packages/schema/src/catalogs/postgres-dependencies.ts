import type { CatalogQuery } from "./postgres-catalog.js";
import { CHOOSING_PUBLICATIONS } from "./postgres-queries/database.js";
import { NAMED_CATALOGS, SECURITY_LABEL_ID } from "./postgres-queries/opaque.js";

/**
 * A dependency of one object on another. Ids are in the format of the object queries; the objects
 * need not exist.
 */
export interface DependencyEdge {
  readonly dependent: string;
  readonly needed: string;
}

/** A catalog entry; a column's entry where `sub` is not `"0"`. */
interface Entry {
  readonly catalog: string;
  readonly oid: string;
  readonly sub: string;
}

/** Catalogs whose entries are objects, with the prefix of their ids. */
const LETTERS: Readonly<Record<string, string>> = {
  pg_class: "r",
  pg_constraint: "c",
  pg_proc: "f",
  pg_trigger: "g",
  pg_policy: "p",
  pg_extension: "x",
  pg_collation: "l",
  pg_operator: "o",
  pg_cast: "k",
  pg_statistic_ext: "s",
  pg_ts_dict: "d",
  pg_ts_config: "y",
  pg_foreign_data_wrapper: "v",
  pg_foreign_server: "e",
  pg_publication: "b",
  pg_namespace: "n",
};
/** The first OID that is not reserved for built-in objects. */
const FIRST_OWN_OID = 16_384;

/**
 * Reads which object depends on which. Members of an extension are represented by the extension.
 *
 * Each query scans one catalog, and the joins are done here. A freshly created database has no
 * statistics of its catalogs, so PostgreSQL would choose nested loops over whole catalogs.
 * @param version the server's `server_version_num`; some catalogs exist only in newer versions.
 */
export async function readDependencies(
  query: CatalogQuery,
  version: number,
): Promise<readonly DependencyEdge[]> {
  // The queries return these columns.
  const edges = (await query(EDGES)) as readonly { edge: string }[];
  const extensions = (await query(OF_EXTENSIONS)) as readonly { entry: string; needed: string }[];
  const aliases = (await query(aliasesQuery(version))) as readonly { entry: string; id: string }[];
  const labels = (await query(SECURITY_LABELS)) as readonly { dependent: string; entry: string }[];
  const extensionOf = new Map(extensions.map(({ entry, needed }) => [entry, needed]));
  const aliasOf = new Map(aliases.map(({ entry, id }) => [entry, id]));
  const found: DependencyEdge[] = [];
  const add = (dependent: string | undefined, needed: string | undefined): void => {
    if (dependent === undefined || needed === undefined || dependent === needed) return;
    found.push({ dependent, needed });
  };
  for (const { edge } of edges) {
    const [catalog = "", oid = "", sub = "", neededCatalog = "", neededOid = "", neededSub = ""] =
      edge.split(" ");
    const dependent = idOf({ catalog, oid, sub }, aliasOf);
    const needed = { catalog: neededCatalog, oid: neededOid, sub: neededSub };
    add(dependent, extensionOf.get(`${neededCatalog} ${neededOid}`) ?? idOf(needed, aliasOf));
  }
  for (const { dependent, entry } of labels) {
    const [catalog = "", oid = "", sub = ""] = entry.split(" ");
    add(dependent, idOf({ catalog, oid, sub }, aliasOf));
  }
  return found;
}

/** The id of the object that a catalog entry belongs to; undefined when it belongs to none. */
function idOf(
  { catalog, oid, sub }: Entry,
  aliasOf: ReadonlyMap<string, string>,
): string | undefined {
  if (catalog === "pg_class" && sub !== "0") return `a:${oid}.${sub}`;
  const alias = aliasOf.get(`${catalog} ${oid}`);
  if (alias !== undefined) return alias;
  if (NAMED_CATALOGS.includes(catalog)) return `z:${oid}.${catalog}`;
  const letter = LETTERS[catalog];
  return letter === undefined ? undefined : `${letter}:${oid}`;
}

/**
 * Entries of pg_depend, one text each, which halves the transferred bytes compared with columns.
 */
const EDGES = `SELECT concat_ws(' ', classid::regclass, objid, objsubid, refclassid::regclass, refobjid, refobjsubid) AS edge
  FROM pg_depend WHERE deptype IN ('n', 'a', 'i') AND refobjid >= ${String(FIRST_OWN_OID)}`;

const OF_EXTENSIONS = `SELECT classid::regclass || ' ' || objid AS entry, 'x:' || refobjid AS needed
  FROM pg_depend WHERE deptype = 'e'`;

const SECURITY_LABELS = `SELECT ${SECURITY_LABEL_ID} AS dependent, concat_ws(' ', q.classoid::regclass, q.objoid, q.objsubid) AS entry
  FROM pg_seclabel q`;

/**
 * Inherited columns that other objects depend on, with the columns of all ancestors. Indexes and keys
 * of partitions, of which there may be thousands, follow those of their parents.
 */
export const INHERITED_COLUMNS = `WITH RECURSIVE used AS (
    SELECT a.attrelid, a.attnum, a.attname, a.attrelid AS ancestor
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p', 'f')
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attinhcount > 0
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.refobjsubid = a.attnum
    WHERE d.deptype IN ('n', 'a', 'i')
    AND NOT (c.relispartition AND d.classid IN ('pg_class'::regclass, 'pg_constraint'::regclass))
    AND NOT EXISTS (SELECT FROM pg_attrdef e WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND e.adnum = a.attnum)
    UNION SELECT u.attrelid, u.attnum, u.attname, i.inhparent FROM used u JOIN pg_inherits i ON i.inhrelid = u.ancestor)
  SELECT 'a:' || u.attrelid || '.' || u.attnum AS inherited, 'a:' || a.attrelid || '.' || a.attnum AS source
  FROM used u JOIN pg_attribute a ON a.attrelid = u.ancestor AND a.attname = u.attname WHERE u.ancestor <> u.attrelid`;

/**
 * Entries that are part of an object or represent one: an index represents its key, a rule its
 * view.
 */
function aliasesQuery(version: number): string {
  const publishedSchemas =
    version < CHOOSING_PUBLICATIONS
      ? []
      : [
          "SELECT 'pg_publication_namespace ' || u.oid, 'b:' || u.pnpubid FROM pg_publication_namespace u",
        ];
  return [
    `SELECT 'pg_class ' || k.conindid AS entry, 'c:' || k.oid AS id FROM pg_constraint k WHERE k.contype IN ('p', 'u', 'x')`,
    `SELECT 'pg_attrdef ' || d.oid, 'a:' || d.adrelid || '.' || d.adnum FROM pg_attrdef d`,
    `SELECT 'pg_rewrite ' || w.oid, CASE w.rulename WHEN '_RETURN' THEN 'r:' || w.ev_class ELSE 'w:' || w.oid END
     FROM pg_rewrite w WHERE w.oid >= ${String(FIRST_OWN_OID)}`,
    // An array type represents the type of its elements, which may be the row type of a table, and a
    // multirange type its range type.
    `SELECT 'pg_type ' || t.oid, CASE WHEN r.relkind <> 'c' THEN 'r:' || r.oid
       ELSE 't:' || coalesce(e.oid, (SELECT g.rngtypid FROM pg_range g WHERE g.rngmultitypid = t.oid), t.oid) END
     FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
     LEFT JOIN pg_class r ON r.oid = coalesce(e.typrelid, t.typrelid) WHERE t.oid >= ${String(FIRST_OWN_OID)}`,
    `SELECT 'pg_publication_rel ' || u.oid, 'b:' || u.prpubid FROM pg_publication_rel u`,
    ...publishedSchemas,
    // Operators and functions of an operator class or family are attributed to the class or family.
    `SELECT m.classid::regclass || ' ' || m.objid, 'z:' || m.refobjid || '.' || m.refclassid::regclass FROM pg_depend m
     WHERE m.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass)
     AND m.refclassid IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass)`,
  ].join("\nUNION ALL\n");
}
