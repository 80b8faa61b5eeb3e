import { assert } from "../kernel/assert.js";
import type { Kind } from "./kinds.js";
import type { PropertyName } from "./vocabulary.js";

/** A plain value. */
export type Scalar = string | number | boolean;

/** Another object, by its id. */
export interface Reference {
  readonly ref: string;
}

/** One entry of an ordered list, such as a column of an index. */
export type Part = Readonly<Partial<Record<PropertyName, Scalar | Reference>>>;

/** What a property of an object holds. */
export type Value = Scalar | Reference | readonly Part[];

/** The properties of an object; what is absent is not said. */
export type Values = Readonly<Partial<Record<PropertyName, Value>>>;

/** A table, a column, an index: anything in a schema that has an identity of its own. */
export interface SchemaObject {
  /** An IRI; before objects are identified, anything that is unique among them. */
  readonly id: string;
  readonly kind: Kind;
  /** Undefined for the database, and for a constraint without a name. */
  readonly name: string | undefined;
  /** The object that it is a part of; undefined for the database only. */
  readonly parent: string | undefined;
  readonly values: Values;
}

/** The engines whose schemas are understood. */
export type Dialect = "sqlite" | "postgres";

/** Every object of a database, to be looked up. */
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

  /** The object that everything else is a part of. */
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

  /** The object with this id, which there is. */
  get(id: string): SchemaObject {
    const object = this.#byId.get(id);
    assert(object !== undefined, `the schema has no object ${id}`);
    return object;
  }

  /** The objects of a kind. */
  all(kind: Kind): readonly SchemaObject[] {
    return this.objects.filter((object) => object.kind === kind);
  }

  /** The parts of an object; columns in their order. */
  partsOf(id: string, ...kinds: readonly Kind[]): readonly SchemaObject[] {
    const parts = this.#byParent.get(id) ?? [];
    return kinds.length === 0 ? parts : parts.filter(({ kind }) => kinds.includes(kind));
  }

  /** The object's name with those of what it is a part of, for people: `orders.customer_id`. */
  pathOf({ kind, name, parent }: SchemaObject): string {
    const above = parent === undefined ? undefined : this.find(parent);
    const own = name ?? `(${kind})`;
    return above === undefined || above.kind === "Database" ? own : `${this.pathOf(above)}.${own}`;
  }
}

/** A property that is text; undefined when it is not said. */
export function textOf(values: Values | Part, property: PropertyName): string | undefined {
  const value = values[property];
  return typeof value === "string" ? value : undefined;
}

/** Whether a property is said to be so. */
export function isSet(values: Values | Part, property: PropertyName): boolean {
  return values[property] === true;
}

/** The id that a property points to. */
export function idIn(values: Values | Part, property: PropertyName): string | undefined {
  const value = values[property];
  return typeof value === "object" && "ref" in value ? value.ref : undefined;
}

/** The entries of a list. */
export function partsIn(values: Values, property: PropertyName): readonly Part[] {
  const value = values[property];
  return Array.isArray(value) ? (value as readonly Part[]) : [];
}

/** Values with every reference replaced. */
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

/** Values without those that were left undefined. */
export function values(given: Readonly<Partial<Record<PropertyName, Value | undefined>>>): Values {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== false),
  );
}
