import { AppError } from "@steward/kernel/errors.js";
import { type Dialect, type Kind, KINDS } from "./kinds.js";
import { listOf } from "./lists.js";
import type { Part, SchemaObject, UncheckedObject, Value } from "./objects.js";
import { PROPERTIES, type PropertyName, type Range } from "./vocabulary.js";

/**
 * The one way from untyped properties, as they are stored or as a catalog describes them, to a
 * typed object. An object without a property that its definition needs would otherwise become a
 * statement with a gap in it.
 * @throws AppError `STATE_CORRUPTED` naming the object and the property.
 */
export function checkedObject<D extends Dialect>(
  object: UncheckedObject,
  dialect: D,
): SchemaObject<Kind, D> {
  const { kind, values } = object;
  if (!isKind(kind)) throw corrupted(object, "is of an unknown kind");
  const { required = [], requiredOn, isUnnamedOn } = KINDS[kind];
  if (object.name === undefined && isUnnamedOn !== "everywhere" && isUnnamedOn !== dialect) {
    throw corrupted(object, "has no name");
  }
  if ((object.parent === undefined) !== (kind === "Database")) {
    throw corrupted(object, "is no part of the database");
  }
  for (const property of [...required, ...(requiredOn?.[dialect] ?? [])]) {
    if (values[property] === undefined) throw corrupted(object, `has no ${property}`);
  }
  for (const [property, value] of Object.entries(values)) {
    // The keys of values are property names.
    checkValue(object, kind, property as PropertyName, value);
  }
  // Everything that the type promises was checked above.
  return object as SchemaObject<Kind, D>;
}

function isKind(kind: string): kind is Kind {
  return kind in KINDS;
}

function checkValue(
  object: UncheckedObject,
  kind: Kind,
  property: PropertyName,
  value: Value,
): void {
  const list = listOf(kind, property);
  if (list === undefined) {
    if (!isOf(PROPERTIES[property].range, value)) throw corrupted(object, `has a bad ${property}`);
    return;
  }
  if (!isList(value)) throw corrupted(object, `has a bad ${property}`);
  for (const part of value) {
    const missing = list.required.find((each) => part[each] === undefined);
    if (missing !== undefined) {
      throw corrupted(object, `has an entry of ${property} without ${missing}`);
    }
  }
}

function isList(value: Value): value is readonly Part[] {
  return Array.isArray(value);
}

function isOf(range: Range, value: Value): boolean {
  if (range === "reference") return typeof value === "object" && "ref" in value;
  return typeof value === (range === "integer" ? "number" : range);
}

function corrupted({ id, kind, name = id }: UncheckedObject, what: string): AppError {
  return new AppError(
    "STATE_CORRUPTED",
    `An object of the database schema is incomplete: the ${kind} ${name} ${what}. Read the schema from the database again`,
  );
}
