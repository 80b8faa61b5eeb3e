import { assert } from "@steward/kernel/assert.js";
import type { Kind } from "./kinds.js";
import type { PropertyName } from "./vocabulary.js";

export type Scalar = string | number | boolean;

/** A reference to another object, by its id. */
export interface Reference {
  readonly ref: string;
}

/** One entry of an ordered list, such as a column of an index. */
export type Part = Readonly<Partial<Record<PropertyName, Scalar | Reference>>>;

/** What a property of an object holds. */
export type Value = Scalar | Reference | readonly Part[];

/** The properties of an object; unset properties are absent. */
export type Values = Readonly<Partial<Record<PropertyName, Value>>>;

/** An object with an identity of its own, such as a table, a column or an index. */
export interface SchemaObject {
  /** An IRI. Before objects are identified: any text that is unique in the schema. */
  readonly id: string;
  readonly kind: Kind;
  /** Undefined for the database, and for an unnamed constraint. */
  readonly name: string | undefined;
  /** The parent object; undefined only for the database. */
  readonly parent: string | undefined;
  readonly values: Values;
}

/** The supported engines. */
export type Dialect = "sqlite" | "postgres";

/** All objects of a database, indexed. */
export class Schema {
  readonly objects: readonly SchemaObject[];
  readonly #byId: ReadonlyMap<string, SchemaObject>;
  readonly #byParent = new Map<string | undefined, SchemaObject[]>();

  constructor(objects: readonly SchemaObject[]) {
    this.objects = objects;
    this.#byId = new Map(objects.map((object) => [object.id, object]));
    for (const object of objects) {
      const siblings = this.#byParent.get(object.parent);
      if (siblings === undefined) this.#byParent.set(object.parent, [object]);
      else siblings.push(object);
    }
  }

  /** The root object, which contains all others. */
  get database(): SchemaObject {
    const [database] = this.#byParent.get(undefined) ?? [];
    assert(database !== undefined, "a schema has a database");
    return database;
  }

  get dialect(): Dialect {
    return this.database.values.dialect === "postgres" ? "postgres" : "sqlite";
  }

  find(id: string): SchemaObject | undefined {
    return this.#byId.get(id);
  }

  /** The object with this id, which must exist. */
  get(id: string): SchemaObject {
    const object = this.#byId.get(id);
    assert(object !== undefined, `the schema has no object ${id}`);
    return object;
  }

  all(kind: Kind): readonly SchemaObject[] {
    return this.objects.filter((object) => object.kind === kind);
  }

  /** The parts of an object; columns in their order. */
  partsOf(id: string, ...kinds: readonly Kind[]): readonly SchemaObject[] {
    const parts = this.#byParent.get(id) ?? [];
    return kinds.length === 0 ? parts : parts.filter(({ kind }) => kinds.includes(kind));
  }

  /** The object's name with those of its parents, for messages: `orders.customer_id`. */
  pathOf({ kind, name, parent }: SchemaObject): string {
    const above = parent === undefined ? undefined : this.find(parent);
    const own = name ?? `(${kind})`;
    return above === undefined || above.kind === "Database" ? own : `${this.pathOf(above)}.${own}`;
  }
}

/** The value of a text property; undefined when unset. */
export function textOf(values: Values | Part, property: PropertyName): string | undefined {
  const value = values[property];
  return typeof value === "string" ? value : undefined;
}

/** Whether a boolean property is true. */
export function isSet(values: Values | Part, property: PropertyName): boolean {
  return values[property] === true;
}

/** The id that a reference property points to. */
export function idIn(values: Values | Part, property: PropertyName): string | undefined {
  const value = values[property];
  return typeof value === "object" && "ref" in value ? value.ref : undefined;
}

/** The entries of a list property; empty when unset. */
export function partsIn(values: Values, property: PropertyName): readonly Part[] {
  const value = values[property];
  return Array.isArray(value) ? (value as readonly Part[]) : [];
}

/** Replaces the ids in all references. */
export function withIds(values: Values, idOf: (id: string) => string): Values {
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
  return Object.fromEntries(entries) as Values;
}

/** Removes undefined properties. */
export function values(given: Readonly<Partial<Record<PropertyName, Value | undefined>>>): Values {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== false),
  );
}
