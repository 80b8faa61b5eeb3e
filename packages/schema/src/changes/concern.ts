import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { identifying } from "../model/identify.js";
import type { Schema, SchemaObject, Value, Values } from "../model/schema.js";
import { diffSchemas, type Operation } from "../model/schema-diff.js";

/**
 * The set of objects that a script changes. Concurrent changes to other objects do not matter to
 * the script.
 */
export interface Concern {
  /**
   * Ids of all objects that the script creates, alters or drops. The parts of a created or dropped
   * object are included.
   */
  readonly ids: ReadonlySet<string>;
  /** Ids of the objects that the script creates or drops. */
  readonly wholes: ReadonlySet<string>;
  /** Ids of the parents of the objects in `ids`. */
  readonly above: ReadonlySet<string>;
}

/** Computes the set of objects that a script between two schemas changes. */
export function concernOf(from: Schema, to: Schema): Concern {
  const ids = new Set<string>();
  const wholes = new Set<string>();
  const above = new Set<string>();
  for (const { action, id } of diffSchemas(from, to)) {
    ids.add(id);
    if (action === "create" || action === "drop") {
      wholes.add(id);
      for (const schema of [from, to]) for (const part of allPartsOf(schema, id)) ids.add(part.id);
    }
    for (const schema of [from, to]) for (const each of ancestorsOf(schema, id)) above.add(each);
  }
  // The differences name a partitioned index for all that is attached to it.
  for (const schema of [from, to]) {
    for (const object of schema.objects) {
      if (!isAttachedToOneOf(schema, object, ids)) continue;
      ids.add(object.id);
      for (const each of ancestorsOf(schema, object.id)) above.add(each);
    }
  }
  return { ids, wholes, above };
}

/** Whether an index or constraint is attached to one of these, directly or indirectly. */
function isAttachedToOneOf(
  schema: Schema,
  { values }: SchemaObject,
  ids: ReadonlySet<string>,
): boolean {
  const whole = schema.find(values.attachedTo?.ref);
  if (whole === undefined) return false;
  return ids.has(whole.id) || isAttachedToOneOf(schema, whole, ids);
}

/**
 * The relations that a script between two schemas alters or drops.
 * @param recorded the schema before the script, with native ids.
 * @returns native ids of PostgreSQL (OIDs).
 */
export function concernedRelations(
  { from, to }: { readonly from: Schema; readonly to: Schema },
  recorded: Schema,
): readonly string[] {
  const { ids, above } = concernOf(from, to);
  return [...ids, ...above].flatMap((id) => {
    const nativeId = recorded.find(id)?.values.nativeId;
    return nativeId?.startsWith("r:") === true ? [nativeId] : [];
  });
}

/** The expected and the actual schema, and the set of objects to compare. */
export interface ConcernedDifferences {
  readonly live: Schema;
  readonly differences: readonly Operation[];
}

/**
 * Compares only the objects that the script changes; concurrent changes to other objects are
 * ignored.
 * @param extras also report new parts and new dependents of such objects, because dropping the
 * object would drop them too.
 */
export function* concernedDifferences(
  expected: Schema,
  draft: Schema,
  concern: Concern,
  { extras }: { readonly extras: boolean },
): Pausing<ConcernedDifferences> {
  const live = yield* identifying(draft, expected);
  yield;
  const differences = diffSchemas(expected, live).filter((operation) => {
    const { action, id } = operation;
    if (concern.ids.has(id)) return true;
    if ((action === "drop" || action === "rename") && concern.above.has(id)) return true;
    const object = live.find(id) ?? expected.find(id);
    return extras && object !== undefined && isTiedTo(live, object, concern);
  });
  return { live, differences };
}

function isTiedTo(schema: Schema, object: SchemaObject, { ids, wholes }: Concern): boolean {
  if (ancestorsOf(schema, object.id).some((id) => wholes.has(id))) return true;
  return [object, ...allPartsOf(schema, object.id)].some((each) =>
    referencesOf(each).some((id) => ids.has(id)),
  );
}

/** The ids of all objects that an object references. */
export function referencesOf({ values }: SchemaObject): readonly string[] {
  const found: string[] = [];
  for (const value of valuesIn(values)) addReferences(value, found);
  return found;
}

/** The values of an object's properties, whatever its kind. */
function valuesIn(values: Values): readonly Value[] {
  return Object.values(values);
}

/** The ids of all objects that a value references. */
export function referencesIn(value: Value): readonly string[] {
  const found: string[] = [];
  addReferences(value, found);
  return found;
}

/**
 * Appends to one list instead of building intermediate ones: this runs for every value of schemas
 * with a thousand tables.
 */
function addReferences(value: Value, found: string[]): void {
  if (typeof value !== "object") return;
  if ("ref" in value) {
    found.push(value.ref);
    return;
  }
  for (const part of value) for (const item of Object.values(part)) addReferences(item, found);
}

/** The parts of an object, recursively. */
export function allPartsOf(schema: Schema, id: string): readonly SchemaObject[] {
  return schema.partsOf(id).flatMap((part) => [part, ...allPartsOf(schema, part.id)]);
}

function ancestorsOf(schema: Schema, id: string): readonly string[] {
  const parent = schema.find(id)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(schema, parent)];
}
