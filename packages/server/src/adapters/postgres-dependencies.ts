import type { CatalogQuery } from "./postgres-catalog.js";
import { CHOOSING_PUBLICATIONS } from "./postgres-queries/database.js";
import { NAMED_CATALOGS, SECURITY_LABEL_ID } from "./postgres-queries/opaque.js";

/** That one object needs another; ids as the queries of objects have them, whether or not there is such an object. */
export interface DependencyEdge {
  readonly dependent: string;
  readonly needed: string;
}

/** An entry of a catalog, or of a column where `sub` is not `"0"`. */
interface Entry {
  readonly catalog: string;
  readonly oid: string;
  readonly sub: string;
}

/** Catalogs whose entries are objects, with the letter of their ids. */
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
/** The first oid that the engine has not taken for itself. */
const FIRST_OWN_OID = 16_384;

/**
 * Which object needs which. Things of an extension stand for the extension.
 *
 * Each query reads one catalog from end to end and the rest is looked up here: a database that was just filled has no
 * statistics of its catalogs, and the engine would look through one of them for each entry of another.
 * @param version the server's, as `server_version_num`: not every catalog was always there.
 */
export async function readDependencies(
  query: CatalogQuery,
  version: number,
): Promise<readonly DependencyEdge[]> {
  // The columns that the queries name.
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

/** A catalog entry as the id of the object that it is a part of; undefined for what belongs to none. */
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

/** Entries of pg_depend in one text each, which is half as long on the way as columns are. */
const EDGES = `SELECT concat_ws(' ', classid::regclass, objid, objsubid, refclassid::regclass, refobjid, refobjsubid) AS edge
  FROM pg_depend WHERE deptype IN ('n', 'a', 'i') AND refobjid >= ${String(FIRST_OWN_OID)}`;

const OF_EXTENSIONS = `SELECT classid::regclass || ' ' || objid AS entry, 'x:' || refobjid AS needed
  FROM pg_depend WHERE deptype = 'e'`;

const SECURITY_LABELS = `SELECT ${SECURITY_LABEL_ID} AS dependent, concat_ws(' ', q.classoid::regclass, q.objoid, q.objsubid) AS entry
  FROM pg_seclabel q`;

/** Entries that are a part of an object, or stand for one: an index for its key, a rule for its view. */
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
    `SELECT 'pg_type ' || t.oid, CASE WHEN t.typrelid <> 0 AND r.relkind <> 'c' THEN 'r:' || t.typrelid
       WHEN t.typelem <> 0 AND t.typcategory = 'A' THEN 't:' || t.typelem ELSE 't:' || t.oid END
     FROM pg_type t LEFT JOIN pg_class r ON r.oid = t.typrelid WHERE t.oid >= ${String(FIRST_OWN_OID)}`,
    `SELECT 'pg_publication_rel ' || u.oid, 'b:' || u.prpubid FROM pg_publication_rel u`,
    ...publishedSchemas,
    // What is said of an operator or a function of an operator class or family is said of the whole.
    `SELECT m.classid::regclass || ' ' || m.objid, 'z:' || m.refobjid || '.' || m.refclassid::regclass FROM pg_depend m
     WHERE m.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass)
     AND m.refclassid IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass)`,
  ].join("\nUNION ALL\n");
}
