import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "@steward/kernel/errors.js";
import {
  castElements,
  checkedObject,
  type PostgresObject,
  Schema,
  type SchemaObject,
  type Values,
} from "../live/index.js";
import {
  allSeldomSorts,
  DATABASE_ID,
  goneQuery,
  MORE_SORTS,
  objectsQuery,
  seldomSortsQuery,
  TYPE_RELATIONS,
} from "./postgres-catalog-queries.js";
import { INHERITED_COLUMNS, readDependencies } from "./postgres-dependencies.js";

const DATABASE = "database";
/** Properties that may contain an expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...["definition", "default", "generated", "expression", "where", "partitionKey"],
]);

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly parent: string | null;
  /** JSON text. */
  readonly values: string;
}

/** Runs a query on the connection over which a schema is read. All columns are text. */
export type CatalogQuery = (sql: string) => Promise<readonly object[]>;

/**
 * Settings of a transaction that reads a schema, each a SET clause. An empty search path makes
 * PostgreSQL qualify every name that is not built in. JIT is off, because compiling a query that
 * runs once takes longer than running it.
 */
export const CATALOG_SETTINGS: readonly string[] = ["search_path = ''", "jit = off"];

/**
 * Introspects the database, as of the connection's transaction.
 * @throws AppError `STATE_CONFLICT` when an object was dropped meanwhile; trying again helps.
 * @param query on a connection with {@link CATALOG_SETTINGS}.
 * @param nativeIds which objects get native ids: all, all except the database itself, or none.
 */
export async function introspectPostgres(
  query: CatalogQuery,
  nativeIds: "all" | "objects" | "none" = "all",
): Promise<Schema> {
  return unlessDropped(async () => {
    const objects = await readObjects(query, nativeIds !== "none");
    const database = await databaseOf(query, nativeIds === "all");
    return placed([database, ...objects]);
  });
}

/**
 * PostgreSQL's functions that describe an object, such as `pg_get_viewdef`, look at the catalog of now, and
 * not of the transaction's snapshot. So the description of an object that another session has just
 * dropped is missing, or the function fails.
 */
async function unlessDropped(read: () => Promise<Schema>): Promise<Schema> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error) || !isOfDropped(error)) throw error;
    throw new AppError(
      "STATE_CONFLICT",
      "An object of the database was dropped or changed while its schema was read: try again. " +
        `If the error stays, the object cannot be read: ${error.message}`,
      { cause: error },
    );
  }
}

function isOfDropped(error: Error): boolean {
  if (error instanceof AppError) return error.code === "STATE_CORRUPTED";
  return /^(?:cache lookup failed for|could not open relation with OID)/.test(error.message);
}

/** A schema of these objects. Objects inside an omitted object are omitted too. */
function placed(objects: readonly SchemaObject[]): Schema {
  const there = new Set(objects.map(({ id }) => id));
  return new Schema(objects.filter(({ parent }) => parent === undefined || there.has(parent)));
}

/** An earlier schema, and the relations that are read again. */
export interface Reread {
  /** As returned by {@link introspectPostgres} with native ids. */
  readonly schema: Schema;
  /** Ids of relations, such as `r:16384`; some may not exist any more. */
  readonly relations: readonly string[];
}

/**
 * Updates a recently read schema by reading some of its relations again. Objects that are no
 * relations, such as types and functions, are read again too.
 * @param query as for {@link introspectPostgres}.
 * @throws AppError as {@link introspectPostgres} does.
 */
export function rereadPostgres(query: CatalogQuery, reread: Reread): Promise<Schema> {
  return unlessDropped(() => rereadRelations(query, reread));
}

async function rereadRelations(
  query: CatalogQuery,
  { schema, relations }: Reread,
): Promise<Schema> {
  const gone = (await query(goneQuery(schema.objects.filter(isRelation)))) as readonly Gone[];
  const changed = new Set([...relations, ...gone.map(({ id }) => id)]);
  const kept = schema.objects.filter((object) => {
    const relation = relationOf(object);
    return object.kind === "Database" || (relation !== undefined && !changed.has(relation));
  });
  const fresh = await readObjects(query, true, { kept, relations: [...changed] });
  return placed([...kept, ...fresh]);
}

interface Gone {
  readonly id: string;
}

function isRelation(object: SchemaObject): boolean {
  return relationOf(object) === object.id;
}

/** The relation that an object is, or that contains it. */
function relationOf({ id, parent }: SchemaObject): string | undefined {
  if (parent?.startsWith("r:") === true) return parent;
  return id.startsWith("r:") ? id : undefined;
}

async function readObjects(
  query: CatalogQuery,
  withNativeIds: boolean,
  only?: { readonly kept: readonly SchemaObject[]; readonly relations: readonly string[] },
): Promise<readonly PostgresObject[]> {
  const version = await versionOf(query);
  const found = await readRows(query, version, only?.relations);
  // The order is normalized, because scripts follow it and the server's order varies.
  const rows = sortedByAge(found);
  const known = new Set([...(only?.kept ?? []), ...rows].map(({ id }) => id));
  const needs = await needsAmong(query, version, known);
  const objects: PostgresObject[] = [];
  for (const row of rows) {
    objects.push(objectOf(row, [...(needs.get(row.id) ?? [])], withNativeIds));
    // A thousand tables have fifteen thousand rows, which take 100 ms, so the event loop is yielded
    // regularly.
    if (objects.length % ROWS_AT_ONCE === 0) await nextTurn();
  }
  return objects;
}

/** The rows of all objects, from one snapshot. */
async function readRows(
  query: CatalogQuery,
  version: number,
  relations?: readonly string[],
): Promise<readonly Row[]> {
  const read = async (seldomSorts: string): Promise<readonly Row[]> => {
    const choice = { version, seldomSorts, ...(relations === undefined ? {} : { relations }) };
    // The query returns these columns.
    return (await query(objectsQuery(choice))) as readonly Row[];
  };
  const [row] = (await query(seldomSortsQuery(version))) as readonly { sorts: string }[];
  // Without a row there is nothing of a rare kind, and nothing to add to the query.
  const rows = await read(row?.sorts ?? "");
  // Another session may have created the first object of a rare kind between the two statements.
  const isIncomplete = rows.some(({ kind }) => kind === MORE_SORTS);
  return isIncomplete ? read(allSeldomSorts(version)) : rows;
}

/** Rows processed before the event loop is yielded. */
const ROWS_AT_ONCE = 2000;

/** Sorts a table before its columns, and columns by their number. */
function sortedByAge(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, oid: oidOf(row) }))
    .sort(
      ({ row: a, oid }, { row: b, oid: other }) =>
        oid - other || a.id.length - b.id.length || (a.id < b.id ? -1 : 1),
    )
    .map(({ row }) => row);
}

/**
 * The OID in an id such as `r:16384`, or `a:16384.2` for an attribute. Its order is the order of
 * creation.
 */
function oidOf({ id }: Row): number {
  return Number(id.slice(id.indexOf(":") + 1).split(".")[0]);
}

/** The server's `server_version_num`, because some catalogs exist only in newer versions. */
async function versionOf(query: CatalogQuery): Promise<number> {
  const sql = "SELECT current_setting('server_version_num') AS version";
  const [row] = (await query(sql)) as readonly { version: string }[];
  return Number(row?.version);
}

async function databaseOf(query: CatalogQuery, withNativeId: boolean): Promise<SchemaObject> {
  // The query returns these columns.
  const [row] = withNativeId ? ((await query(DATABASE_ID)) as readonly { id: string }[]) : [];
  return {
    id: DATABASE,
    kind: "Database",
    name: undefined,
    parent: undefined,
    values: {
      dialect: "postgres",
      ...(row === undefined ? {} : { nativeId: row.id }),
    },
  };
}

/** The dependencies of each object on other objects of the schema. */
async function needsAmong(
  query: CatalogQuery,
  version: number,
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const edges = await readDependencies(query, version);
  // The query returns these columns.
  const types = (await query(TYPE_RELATIONS)) as readonly { relation: string; type: string }[];
  const typeOf = new Map(types.map(({ relation, type }) => [relation, type]));
  // The query returns these columns.
  const columns = (await query(INHERITED_COLUMNS)) as readonly Record<
    "inherited" | "source",
    string
  >[];
  const sources = new Map<string, string[]>();
  for (const { inherited, source } of columns) {
    if (known.has(inherited) || !known.has(source)) continue;
    sources.set(inherited, [...(sources.get(inherited) ?? []), source]);
  }
  const resolve = (id: string): string => {
    if (known.has(id)) return id;
    // Columns of views and types are not objects of their own.
    const whole = id.replace(/^a:(\d+)\..*$/, "r:$1");
    return typeOf.get(whole) ?? whole;
  };
  const needs = new Map<string, Set<string>>();
  for (const edge of edges) {
    const dependent = resolve(edge.dependent);
    for (const needed of [resolve(edge.needed), ...(sources.get(edge.needed) ?? [])]) {
      if (dependent === needed || !known.has(needed)) continue;
      needs.set(dependent, (needs.get(dependent) ?? new Set()).add(needed));
    }
  }
  return needs;
}

function objectOf(
  { id, kind, name, parent, values }: Row,
  needs: readonly string[],
  withNativeIds: boolean,
): PostgresObject {
  const dependsOn = needs.map((needed) => ({ needs: { ref: needed } }));
  // The queries build their JSON from the vocabulary's property names.
  const said = JSON.parse(values, (key, value: unknown) =>
    typeof value === "string" && EXPRESSIONS.has(key) ? castElements(value) : value,
  ) as Values;
  const described = {
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== "")),
    ...(withNativeIds ? { nativeId: id } : {}),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
  };
  return checkedObject(
    { id, kind, name, parent: parent ?? DATABASE, values: described },
    "postgres",
  );
}
