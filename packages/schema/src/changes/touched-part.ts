import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { allPartsOf, referencesIn, referencesOf } from "./concern.js";
import type { Kind } from "../model/kinds.js";
import { Schema, type SchemaObject } from "../model/schema.js";
import { isSameObject } from "../model/schema-diff.js";

/** The base and the target schema of a change. */
export interface SchemaPair {
  readonly base: Schema;
  readonly target: Schema;
}

/** Kinds that are part of every proof: there are few of them, and other objects depend on them. */
const ALWAYS: readonly Kind[] = ["Database", "Schema", "Extension", "DefaultPrivileges"];

/**
 * The part of two schemas that a change between them can touch: objects that differ, with all their
 * parts; their dependents; and everything that these need. A table that is only needed is reduced
 * to its columns, so that foreign keys do not pull in one table after another. Each of the two
 * parts is a schema that can be created in an empty database. Pauses regularly to yield the event loop.
 */
export function* findingTouchedPart(pair: SchemaPair): Pausing<SchemaPair> {
  const { base, target } = pair;
  const gone = differingFrom(target, base);
  yield;
  const differing = [...gone, ...differingFrom(base, target)];
  yield;
  // A change of more than a quarter of the objects usually needs the rest too, so searching would
  // gain nothing.
  if (differing.length * 4 > target.objects.length) return pair;
  const touched = new TouchedObjects(pair);
  yield* touched.findDependents();
  const included = touched.find(differing);
  yield;
  const among = ({ objects }: Schema): Schema =>
    new Schema(objects.filter(({ id }) => included.has(id)));
  return { base: among(pair.base), target: among(pair.target) };
}

/** The ids of the objects that the other schema lacks or has in a different state. */
function differingFrom(other: Schema, { objects }: Schema): readonly string[] {
  return objects.filter((each) => !isSameObject(other.find(each.id), each)).map(({ id }) => id);
}

/** Objects visited between two pauses, which takes a few milliseconds. */
const AT_ONCE = 4000;

class TouchedObjects {
  readonly #schemas: readonly [base: Schema, target: Schema];
  readonly #included = new Set<string>();
  /** Ids of objects that are included with all their parts. */
  readonly #whole = new Set<string>();
  readonly #dependents = new Map<string, string[]>();

  constructor({ base, target }: SchemaPair) {
    this.#schemas = [base, target];
  }

  *findDependents(): Pausing<void> {
    for (const [index, object] of this.#all().entries()) {
      for (const needed of referencesOf(object)) {
        const known = this.#dependents.get(needed);
        if (known === undefined) this.#dependents.set(needed, [object.id]);
        else known.push(object.id);
      }
      if (index % AT_ONCE === AT_ONCE - 1) yield;
    }
  }

  /** @param differing the ids of the objects that differ. */
  find(differing: readonly string[]): ReadonlySet<string> {
    for (const { id, kind } of this.#all()) if (ALWAYS.includes(kind)) this.#include(id);
    const touched = differing.flatMap((id) => this.#withParts(this.#wholeOf(id)));
    const affected = new Set(touched);
    for (const id of affected)
      for (const each of this.#dependents.get(id) ?? []) affected.add(each);
    for (const id of touched) this.#includeWhole(this.#wholeOf(id));
    for (const id of affected) this.#include(id);
    return this.#included;
  }

  #all(): readonly SchemaObject[] {
    return this.#schemas.flatMap(({ objects }) => objects);
  }

  #includeWhole(id: string): void {
    if (this.#whole.has(id)) return;
    this.#whole.add(id);
    for (const part of this.#withParts(id)) this.#include(part);
  }

  #include(id: string): void {
    if (this.#included.has(id)) return;
    this.#included.add(id);
    for (const object of this.#versionsOf(id)) {
      if (object.parent !== undefined) this.#include(object.parent);
      for (const needed of referencesOf(object)) this.#include(needed);
      if (object.kind === "Table") this.#includeTable(id);
      else if (!ALWAYS.includes(object.kind) && object.kind !== "Column") this.#includeWhole(id);
    }
  }

  /**
   * Partitions and inheritance children copy properties of their parents, so a whole inheritance
   * tree is included or none of it.
   */
  #includeTable(id: string): void {
    const parts = this.#schemas.flatMap((schema) => schema.partsOf(id, "Column"));
    for (const column of parts) this.#include(column.id);
    const parents = this.#versionsOf(id).flatMap(inheritedBy);
    const children = (this.#dependents.get(id) ?? []).filter((each) =>
      this.#versionsOf(each).some((object) => inheritedBy(object).includes(id)),
    );
    if (parents.length + children.length === 0) return;
    for (const each of [id, ...parents, ...children]) this.#includeWhole(each);
  }

  #versionsOf(id: string): readonly SchemaObject[] {
    return this.#schemas.flatMap((schema) => schema.find(id) ?? []);
  }

  /** The table, type or function that contains an object, or the object itself. */
  #wholeOf(id: string): string {
    const [object] = this.#versionsOf(id);
    const parent = object?.parent;
    if (parent === undefined) return id;
    const [above] = this.#versionsOf(parent);
    return above === undefined || ALWAYS.includes(above.kind) ? id : this.#wholeOf(parent);
  }

  #withParts(id: string): readonly string[] {
    const isGroup = this.#versionsOf(id).some(({ kind }) => ALWAYS.includes(kind));
    const parts = isGroup ? [] : this.#schemas.flatMap((schema) => allPartsOf(schema, id));
    return [id, ...parts.map((part) => part.id)];
  }
}

function inheritedBy({ values }: SchemaObject): readonly string[] {
  return values.inherits === undefined ? [] : referencesIn(values.inherits);
}
