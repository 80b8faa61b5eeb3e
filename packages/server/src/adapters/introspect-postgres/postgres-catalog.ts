import type { Client } from "pg";
import { type SchemaObject, Schema } from "../../schema/index.js";
import { DATABASE_ID, DEPENDENCIES, OBJECTS, TYPE_RELATIONS } from "./catalog-queries.js";

const DATABASE = "database";

type Row = Pick<SchemaObject, "id" | "kind" | "values"> & {
  readonly name: string;
  readonly parent: string | null;
};

/**
 * The schema of the database that a connection is to, as its transaction sees it.
 * @param options.withNativeIds Whether objects say by which oid the engine knows them.
 */
export async function introspectPostgres(
  client: Client,
  { withNativeIds = true }: { readonly withNativeIds?: boolean } = {},
): Promise<Schema> {
  // With nothing on the path, the engine qualifies every name that is not its own.
  // Compiling a query that is run once takes longer than running it.
  await client.query("SET search_path = ''; SET jit = off");
  const { rows } = await client.query<Row>(OBJECTS);
  const known = new Set(rows.map(({ id }) => id));
  const needs = await needsAmong(client, known);
  const objects = rows.map((row) => objectOf(row, [...(needs.get(row.id) ?? [])], withNativeIds));
  const database = await databaseOf(client, withNativeIds);
  const there = new Set([DATABASE, ...known]);
  // What stands in something that is left out is left out itself.
  const placed = objects.filter(({ parent = DATABASE }) => there.has(parent));
  return new Schema([database, ...placed]);
}

async function databaseOf(client: Client, withNativeIds: boolean): Promise<SchemaObject> {
  const { rows } = await client.query<{ id: string }>(DATABASE_ID);
  const [row] = rows;
  return {
    id: DATABASE,
    kind: "Database",
    name: undefined,
    parent: undefined,
    values: {
      dialect: "postgres",
      ...(withNativeIds && row !== undefined ? { nativeId: row.id } : {}),
    },
  };
}

/** What each object needs, as far as both are objects, or stand for one. */
async function needsAmong(
  client: Client,
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { rows: edges } = await client.query<{ dependent: string; needed: string }>(DEPENDENCIES);
  const { rows: types } = await client.query<{ relation: string; type: string }>(TYPE_RELATIONS);
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
  return {
    id,
    kind,
    name,
    parent: parent ?? DATABASE,
    values: {
      ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")),
      ...(withNativeIds ? { nativeId: id } : {}),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
    },
  };
}
