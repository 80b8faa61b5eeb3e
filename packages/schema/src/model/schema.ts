import { assert } from "@steward/kernel/assert.js";
import type { Dialect, Kind } from "./kinds.js";
import type { Part, Reference, Scalar, SchemaObject, Value, Values } from "./objects.js";
import type { PropertyName } from "./vocabulary.js";

export type { Dialect } from "./kinds.js";
export type {
  Part,
  PartOf,
  Reference,
  Scalar,
  SchemaObject,
  UncheckedObject,
  Value,
  Values,
  ValuesOf,
} from "./objects.js";

/** All objects of a database, indexed. `D` is the engine, where it is known. */
export class Schema<D extends Dialect = Dialect> {
  readonly objects: readonly SchemaObject<Kind, D>[];
  readonly #byId: ReadonlyMap<string, SchemaObject<Kind, D>>;
  readonly #byParent = new Map<string | undefined, SchemaObject<Kind, D>[]>();

  constructor(objects: readonly SchemaObject<Kind, D>[]) {
    this.objects = objects;
    this.#byId = new Map(objects.map((object) => [object.id, object]));
    for (const object of objects) {
      const siblings = this.#byParent.get(object.parent);
      if (siblings === undefined) this.#byParent.set(object.parent, [object]);
      else siblings.push(object);
    }
  }

  /** The root object, which contains all others. */
  get database(): SchemaObject<"Database"> {
    const [database] = this.#byParent.get(undefined) ?? [];
    assert(database?.kind === "Database", "a schema has a database");
    return database;
  }

  get dialect(): Dialect {
    return this.database.values.dialect;
  }

  /** The object with this id; undefined also for no id. */
  find(id: string | undefined): SchemaObject<Kind, D> | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The object with this id, which must exist. */
  get(id: string): SchemaObject<Kind, D> {
    const object = this.#byId.get(id);
    assert(object !== undefined, `the schema has no object ${id}`);
    return object;
  }

  all<K extends Kind>(kind: K): readonly SchemaObject<K, D>[] {
    return this.objects.filter((object) => isOf(object, [kind]));
  }

  /** The parent of an object other than the database. */
  above({ id, parent }: Pick<SchemaObject, "id" | "parent">): SchemaObject<Kind, D> {
    assert(parent !== undefined, `the object ${id} has a parent`);
    return this.get(parent);
  }

  /** The parts of an object; columns in their order. */
  partsOf<K extends Kind = Kind>(
    id: string | undefined,
    ...kinds: readonly K[]
  ): readonly SchemaObject<K, D>[] {
    const parts = id === undefined ? [] : (this.#byParent.get(id) ?? []);
    // Without kinds, K is every kind.
    if (kinds.length === 0)
      return parts as readonly SchemaObject<Kind, D>[] as readonly SchemaObject<K, D>[];
    return parts.filter((part) => isOf(part, kinds));
  }

  /** The object's name with those of its parents, for messages: `orders.customer_id`. */
  pathOf({ kind, name, parent }: Pick<SchemaObject, "kind" | "name" | "parent">): string {
    const above = parent === undefined ? undefined : this.find(parent);
    const own = name ?? `(${kind})`;
    return above === undefined || above.kind === "Database" ? own : `${this.pathOf(above)}.${own}`;
  }
}

/** Whether the object is of one of the kinds. */
export function isOf<K extends Kind, D extends Dialect>(
  object: SchemaObject<Kind, D>,
  kinds: readonly K[],
): object is SchemaObject<Kind, D> & SchemaObject<K, D> {
  return (kinds as readonly Kind[]).includes(object.kind);
}

/** Whether a schema is PostgreSQL's. */
export function isPostgres(schema: Schema): schema is Schema<"postgres"> {
  return schema.dialect === "postgres";
}

/** Whether a schema is SQLite's. */
export function isSqlite(schema: Schema): schema is Schema<"sqlite"> {
  return schema.dialect === "sqlite";
}

export type PostgresSchema = Schema<"postgres">;
export type PostgresObject<K extends Kind = Kind> = SchemaObject<K, "postgres">;
export type SqliteSchema = Schema<"sqlite">;
export type SqliteObject<K extends Kind = Kind> = SchemaObject<K, "sqlite">;

/** The same object with other properties of its kind. */
export function withValues<O extends SchemaObject>(object: O, values: O["values"]): O {
  return { ...object, values };
}

/** The same object under another name, or at another place. */
export function withName<O extends SchemaObject>(
  object: O,
  name: string | undefined,
  parent: string | undefined = object.parent,
): O {
  return { ...object, name, parent };
}

/** The same object without some of its optional properties. */
export function without<O extends SchemaObject>(
  object: O,
  ...properties: readonly PropertyName[]
): O {
  const entries = Object.entries(object.values).filter(
    // The keys of values are property names.
    ([property]) => !properties.includes(property as PropertyName),
  );
  // The remaining entries are values of the same kind of object.
  return { ...object, values: Object.fromEntries(entries) };
}

/** The name of an object that has one; every object of PostgreSQL but the database has. */
export function nameOf({ id, name }: Pick<SchemaObject, "id" | "name">): string {
  assert(name !== undefined, `the object ${id} has a name`);
  return name;
}

/** Replaces the ids in all references. */
export function withIds<V extends Values>(values: V, idOf: (id: string) => string): V {
  const one = (value: Scalar | Reference): Scalar | Reference =>
    typeof value === "object" ? { ref: idOf(value.ref) } : value;
  const entries = Object.entries(values).map(([property, value]) => [
    property,
    Array.isArray(value)
      ? (value as readonly Part[]).map((part) =>
          Object.fromEntries(Object.entries(part).map(([key, item]) => [key, one(item)])),
        )
      : one(value as Scalar | Reference),
  ]);
  // The properties are the same, and so are their kinds of values.
  return Object.fromEntries(entries) as V;
}

/** Removes undefined properties. */
export function values(given: Readonly<Partial<Record<PropertyName, Value | undefined>>>): Values {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== false),
  );
}
