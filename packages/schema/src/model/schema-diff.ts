import type { Part, Schema, SchemaObject, Value } from "./schema.js";
import type { Kind } from "./kinds.js";
import { perPair } from "./per-pair.js";
import { PROPERTIES, type PropertyName } from "./vocabulary.js";

/** A property's value before and after. Absent: the property was not set. */
export interface Change {
  readonly property: PropertyName | "name";
  readonly before?: Value;
  readonly after?: Value;
}

/** The creation, change, rename or drop of one object. */
export type Operation =
  | {
      readonly action: "create" | "drop";
      readonly kind: Kind;
      readonly id: string;
      readonly path: string;
    }
  | {
      readonly action: "rename";
      readonly kind: Kind;
      readonly id: string;
      readonly path: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly action: "alter";
      readonly kind: Kind;
      readonly id: string;
      readonly path: string;
      readonly changes: readonly Change[];
    };

/**
 * The operations that lead from one schema to another: drops, renames, changes, creations. Parts
 * created or dropped with their whole, or with the object they are attached to, are not listed
 * separately; objects directly in a PostgreSQL schema are. A change that each part of a partitioned
 * index shares with the whole is listed once.
 */
export const diffSchemas: (before: Schema, after: Schema) => readonly Operation[] =
  perPair(operationsBetween);

function operationsBetween(before: Schema, after: Schema): readonly Operation[] {
  const dropped = missingIn(after, before);
  const created = missingIn(before, after);
  const kept = after.objects.flatMap((now) => {
    const old = before.find(now.id);
    return old === undefined ? [] : [{ old, now }];
  });
  return [
    ...dropped.map((each) => whole("drop", before, each)),
    ...kept.flatMap(({ old, now }) => renamed(before, after, old, now)),
    ...kept.flatMap(({ old, now }) => altered(before, after, old, now)),
    ...created.map((each) => whole("create", after, each)),
  ];
}

/** Objects of `schema` that `other` lacks, without the parts of such objects. */
function missingIn(other: Schema, schema: Schema): readonly SchemaObject[] {
  const isMissing = (id: string): boolean => other.find(id) === undefined;
  return schema.objects.filter(({ id, parent, values }) => {
    // Objects in a PostgreSQL schema do not count as its parts.
    const isPart = parent !== undefined && schema.get(parent).kind !== "Schema";
    // What a part refers to may be gone from its own schema too, and so is not listed.
    const above = [isPart ? parent : undefined, values.attachedTo?.ref].flatMap(
      (each) => schema.find(each)?.id ?? [],
    );
    return isMissing(id) && !above.some(isMissing);
  });
}

function whole(action: "create" | "drop", schema: Schema, object: SchemaObject): Operation {
  return { action, kind: object.kind, id: object.id, path: schema.pathOf(object) };
}

/** A rename, or a move to another schema; in a move both names are qualified. */
function renamed(
  before: Schema,
  after: Schema,
  old: SchemaObject,
  now: SchemaObject,
): readonly Operation[] {
  const isMoved = old.parent !== now.parent;
  if (old.name === now.name && !isMoved) return [];
  const { kind, id } = now;
  const [from = "", to = ""] = isMoved
    ? [before.pathOf(old), after.pathOf(now)]
    : [old.name, now.name];
  return [{ action: "rename", kind, id, path: after.pathOf(now), from, to }];
}

function altered(
  before: Schema,
  after: Schema,
  old: SchemaObject,
  now: SchemaObject,
): readonly Operation[] {
  const changes = changesBetween(old, now);
  if (changes.length === 0) return [];
  const whole = now.values.attachedTo?.ref;
  const [wholeBefore, wholeAfter] = [before.find(whole), after.find(whole)];
  if (wholeBefore !== undefined && wholeAfter !== undefined) {
    const same = changesBetween(wholeBefore, wholeAfter);
    if (changes.length === same.length && changes.every((each, at) => sameChange(each, same[at]))) {
      return [];
    }
  }
  return [{ action: "alter", kind: now.kind, id: now.id, path: after.pathOf(now), changes }];
}

function sameChange(one: Change, other: Change | undefined): boolean {
  return (
    one.property === other?.property &&
    sameValue(one.before, other.before) &&
    sameValue(one.after, other.after)
  );
}

/** The properties in which two states of an object differ, ignoring the layout. */
export function changesBetween(old: SchemaObject, now: SchemaObject): readonly Change[] {
  return differingProperties(old, now)
    .sort()
    .flatMap((property) => {
      const [before, after] = [old.values[property], now.values[property]];
      return [
        {
          property,
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
        },
      ];
    });
}

/**
 * Whether two schemas are equal, ignoring the layout. The result is the same as comparing the
 * roots, and much cheaper.
 */
export function isSameSchema(one: Schema, other: Schema): boolean {
  if (one === other) return true;
  if (one.objects.length !== other.objects.length) return false;
  return one.objects.every((object) => isSameObject(object, other.find(object.id)));
}

/** Whether two states of an object both exist and are equal, ignoring the layout. */
export function isSameObject(
  one: SchemaObject | undefined,
  other: SchemaObject | undefined,
): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.kind === other.kind &&
    one.name === other.name &&
    one.parent === other.parent &&
    differingProperties(one, other).length === 0
  );
}

/** The properties in which two states of an object differ, ignoring the layout. */
function differingProperties(one: SchemaObject, other: SchemaObject): PropertyName[] {
  if (one.values === other.values) return [];
  // The keys of values are property names.
  const [own, others] = [Object.keys(one.values), Object.keys(other.values)] as PropertyName[][];
  const gone = own?.filter((property) => !sameValue(one.values[property], other.values[property]));
  const come = others?.filter((property) => one.values[property] === undefined);
  return [...(gone ?? []), ...(come ?? [])].filter(
    (property) => PROPERTIES[property].isLayout !== true,
  );
}

export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if ("ref" in one) return "ref" in other && one.ref === other.ref;
  return (
    !("ref" in other) &&
    one.length === other.length &&
    one.every((part, at) => samePart(part, other[at]))
  );
}

function samePart(one: Part, other: Part = {}): boolean {
  // The keys of parts are property names.
  const properties = Object.keys(one) as PropertyName[];
  return (
    properties.length === Object.keys(other).length &&
    properties.every((property) => sameValue(one[property], other[property]))
  );
}
