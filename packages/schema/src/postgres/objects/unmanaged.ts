import { AppError } from "@steward/kernel/errors.js";
import { needsOf } from "./dependency-order.js";
import { type Dialect, Schema, type SchemaObject } from "../../model/schema.js";
import type { UnmanagedDefinition } from "../../wanted/read-definitions.js";

/**
 * The unmanaged objects of a schema, each with the object that is the reason. Unmanaged are:
 * objects that are only introspected, objects that only a superuser could create, partitions that
 * are half detached, and all dependents of these, because they cannot be tried in a scratch
 * database.
 */
export function leftAloneIn(schema: Schema): ReadonlyMap<string, SchemaObject> {
  const causes: readonly SchemaObject[] = schema.objects.filter(
    ({ kind, values }) =>
      kind === "Unmanaged" || values.isOutOfReach === true || values.isDetachPending === true,
  );
  const found = new Map(causes.map((cause) => [cause.id, cause]));
  if (causes.length === 0) return found;
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const object of schema.objects) {
      const cause = causeOf(object, found);
      if (cause === undefined) continue;
      found.set(object.id, cause);
      // A table cannot be created without one of its columns.
      if (object.kind === "Column") found.set(object.parent, cause);
    }
  }
  return found;
}

function causeOf(
  object: SchemaObject,
  found: ReadonlyMap<string, SchemaObject>,
): SchemaObject | undefined {
  if (found.has(object.id)) return undefined;
  const need = needsOf(object).find((id) => found.has(id));
  return need === undefined ? undefined : found.get(need);
}

/** A schema without its unmanaged objects. */
export function withoutUnmanaged<D extends Dialect>(schema: Schema<D>): Schema<D> {
  const alone = leftAloneIn(schema);
  if (alone.size === 0) return schema;
  return new Schema(schema.objects.filter(({ id }) => !alone.has(id)));
}

/** Sorts of opaque objects that a wanted schema cannot define. */
const UNASKED: readonly string[] = ["LANGUAGE", "TRANSFORM", "ACCESS METHOD", "CONVERSION"];

/**
 * A wanted schema completed by the base's unmanaged objects, which definitions can neither create
 * nor drop.
 */
export function withUnmanagedOf(base: Schema, wanted: Schema): Schema {
  const alone = leftAloneIn(base);
  const kept = base.objects.filter(
    ({ id, values, kind }) =>
      wanted.find(id) === undefined &&
      (alone.has(id) || (kind === "Opaque" && UNASKED.includes(values.type))),
  );
  return new Schema([...wanted.objects, ...kept]);
}

/**
 * A wanted schema may contain definitions of unmanaged objects, as pg_dump writes them, if the
 * objects exist in the database already.
 * @param written definitions that are not even run in the scratch database.
 * @throws AppError `INVALID_ARGUMENT`, naming an object that would have to be created.
 */
export function refuseUnmade(base: Schema, written: readonly UnmanagedDefinition[]): void {
  const known = [...base.all("Unmanaged"), ...base.all("Opaque")].map(
    ({ name, values: { type } }) => {
      return { sort: type.toLowerCase(), name: plain(name.slice(`${type} `.length)) };
    },
  );
  for (const { sort, name, place } of written) {
    const isThere = known.some(
      (each) => each.sort === sort && (sort === "transform" || each.name === name),
    );
    if (!isThere) throw unmade(`${place}: ${sort} ${name}`);
  }
}

/** Like {@link refuseUnmade}, for objects that the definitions created in a scratch database. */
export function refuseUnmadeIn(wanted: Schema, base: Schema): void {
  const made = wanted.all("Unmanaged").find(({ id }) => base.find(id) === undefined);
  if (made !== undefined) throw unmade(made.name);
}

/** A name without the quotes around some of its parts. */
function plain(name: string): string {
  return name.replaceAll('"', "");
}

function unmade(what: string): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `${what}: no migration makes such an object. Make it in the database by hand, and accept the drift ` +
      "(steward migrate-db drift --accept); then it may stand in the wanted schema",
  );
}
