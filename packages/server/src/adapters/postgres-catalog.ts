import { setImmediate as nextTurn } from "node:timers/promises";
import { castElements, type SchemaObject, Schema } from "../schema/live/index.js";
import {
  allSeldomSorts,
  DATABASE_ID,
  goneQuery,
  MORE_SORTS,
  objectsQuery,
  seldomSortsQuery,
  TYPE_RELATIONS,
} from "./postgres-catalog-queries.js";
import { readDependencies } from "./postgres-dependencies.js";

const DATABASE = "database";
/** Properties that may hold an expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...["definition", "default", "generated", "expression", "where", "partitionKey"],
]);

type Row = Pick<SchemaObject, "id" | "kind"> & {
  readonly name: string;
  readonly parent: string | null;
  /** JSON text. */
  readonly values: string;
};

/** Asks the connection that a schema is read over. Every column that is asked for is text. */
export type CatalogQuery = (sql: string) => Promise<readonly object[]>;

/**
 * What a transaction must be set to while it reads a schema: with nothing on the path, the engine
 * qualifies every name that is not its own, and compiling a query that is run once takes longer than
 * running it. Each is followed by a setting's name and its value.
 */
export const CATALOG_SETTINGS: readonly string[] = ["search_path = ''", "jit = off"];

/**
 * The schema of the database that a connection is to, as its transaction sees it.
 * @param query on a connection with {@link CATALOG_SETTINGS}.
 * @param nativeIds what says by which oid the engine knows it: everything, all but the database itself, or
 * nothing.
 */
export async function introspectPostgres(
  query: CatalogQuery,
  nativeIds: "all" | "objects" | "none" = "all",
): Promise<Schema> {
  const objects = await readObjects(query, nativeIds !== "none");
  const database = await databaseOf(query, nativeIds === "all");
  return placed([database, ...objects]);
}

/** The schema of some objects. What stands in something that is left out is left out itself. */
function placed(objects: readonly SchemaObject[]): Schema {
  const there = new Set(objects.map(({ id }) => id));
  return new Schema(objects.filter(({ parent }) => parent === undefined || there.has(parent)));
}

/** Relations that are read again, and the schema that everything else is taken from. */
export interface Reread {
  /** As {@link introspectPostgres} has read it, with native ids. */
  readonly schema: Schema;
  /** Ids of relations, such as `r:16384`; others may be there. */
  readonly relations: readonly string[];
}

/**
 * A schema that was read a moment ago, with some of its relations as they are now. What is no relation, such as a type or
 * a function, is read anew too.
 * @param query as {@link introspectPostgres}.
 */
export async function rereadPostgres(
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

/** The relation that an object is or is a part of. */
function relationOf({ id, parent = "" }: SchemaObject): string | undefined {
  if (parent.startsWith("r:")) return parent;
  return id.startsWith("r:") ? id : undefined;
}

async function readObjects(
  query: CatalogQuery,
  withNativeIds: boolean,
  only?: { readonly kept: readonly SchemaObject[]; readonly relations: readonly string[] },
): Promise<readonly SchemaObject[]> {
  const version = await versionOf(query);
  const found = await readRows(query, version, only?.relations);
  // Scripts follow this order: they are the same whichever way the server ran the query.
  const rows = sortedByAge(found);
  const known = new Set([...(only?.kept ?? []), ...rows].map(({ id }) => id));
  const needs = await needsAmong(query, version, known);
  const objects: SchemaObject[] = [];
  for (const row of rows) {
    objects.push(objectOf(row, [...(needs.get(row.id) ?? [])], withNativeIds));
    // A thousand tables have fifteen thousand rows, which take a tenth of a second.
    if (objects.length % ROWS_AT_ONCE === 0) await nextTurn();
  }
  return objects;
}

/** The rows of all objects, as of one moment. */
async function readRows(
  query: CatalogQuery,
  version: number,
  relations?: readonly string[],
): Promise<readonly Row[]> {
  const read = async (seldomSorts: string): Promise<readonly Row[]> => {
    const choice = { version, seldomSorts, ...(relations === undefined ? {} : { relations }) };
    // The columns that the query names.
    return (await query(objectsQuery(choice))) as readonly Row[];
  };
  const [row] = (await query(seldomSortsQuery(version))) as readonly { sorts: string }[];
  const rows = await read(row?.sorts ?? "");
  // Another connection has made the first object of a seldom sort between the two statements.
  const isIncomplete = rows.some(({ kind }: { readonly kind: string }) => kind === MORE_SORTS);
  return isIncomplete ? read(allSeldomSorts(version)) : rows;
}

/** Rows that are read before others have a turn of the event loop. */
const ROWS_AT_ONCE = 2000;

/** A table before its columns, and those by their numbers. */
function sortedByAge(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, oid: oidOf(row) }))
    .sort(
      ({ row: a, oid }, { row: b, oid: other }) =>
        oid - other || a.id.length - b.id.length || (a.id < b.id ? -1 : 1),
    )
    .map(({ row }) => row);
}

/** The oid in an id such as `r:16384`, or `a:16384.2` for an attribute: objects in the order they were made. */
function oidOf({ id }: Row): number {
  return Number(id.slice(id.indexOf(":") + 1).split(".")[0]);
}

/** The server's version, as `server_version_num`: not every catalog was always there. */
async function versionOf(query: CatalogQuery): Promise<number> {
  const sql = "SELECT current_setting('server_version_num') AS version";
  const [row] = (await query(sql)) as readonly { version: string }[];
  return Number(row?.version);
}

async function databaseOf(query: CatalogQuery, withNativeId: boolean): Promise<SchemaObject> {
  // The columns that the query names.
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

/** What each object needs, as far as both are objects, or stand for one. */
async function needsAmong(
  query: CatalogQuery,
  version: number,
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const edges = await readDependencies(query, version);
  // The columns that the query names.
  const types = (await query(TYPE_RELATIONS)) as readonly { relation: string; type: string }[];
  const typeOf = new Map(types.map(({ relation, type }) => [relation, type]));
  const resolve = (id: string): string => {
    if (known.has(id)) return id;
    // A column of a view or a type, which is no object of its own.
    const whole = id.replace(/^a:(\d+)\..*$/, "r:$1");
    return typeOf.get(whole) ?? whole;
  };
  const needs = new Map<string, Set<string>>();
  for (const edge of edges) {
    const [dependent, needed] = [resolve(edge.dependent), resolve(edge.needed)];
    if (dependent === needed || !known.has(needed)) continue;
    needs.set(dependent, (needs.get(dependent) ?? new Set()).add(needed));
  }
  return needs;
}

function objectOf(
  { id, kind, name, parent, values }: Row,
  needs: readonly string[],
  withNativeIds: boolean,
): SchemaObject {
  const dependsOn = needs.map((needed) => ({ needs: { ref: needed } }));
  // What the queries build is made of the vocabulary.
  const said = JSON.parse(values, (key, value: unknown) =>
    typeof value === "string" && EXPRESSIONS.has(key) ? castElements(value) : value,
  ) as SchemaObject["values"];
  return {
    id,
    kind,
    name,
    parent: parent ?? DATABASE,
    values: {
      ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== "")),
      ...(withNativeIds ? { nativeId: id } : {}),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
    },
  };
}
