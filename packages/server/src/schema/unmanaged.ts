import { AppError } from "../kernel/errors.js";
import { Schema, textOf } from "./schema.js";
import type { UnmanagedDefinition } from "./wanted/read-definitions.js";

/** A schema without what is seen only. */
export function withoutUnmanaged(schema: Schema): Schema {
  return new Schema(schema.objects.filter(({ kind }) => kind !== "Unmanaged"));
}

/** A wanted schema with what is seen only, which no definition can ask for and none can end. */
export function withUnmanagedOf(base: Schema, wanted: Schema): Schema {
  return new Schema([...withoutUnmanaged(wanted).objects, ...base.all("Unmanaged")]);
}

/**
 * The definition of an object that no migration makes may stand in a wanted schema, as pg_dump writes it,
 * if the object is in the database already.
 * @param written Those that are not even run to find out what they mean.
 * @throws AppError `INVALID_ARGUMENT`, naming one that would have to be made.
 */
export function refuseUnmade(base: Schema, written: readonly UnmanagedDefinition[]): void {
  const known = base.all("Unmanaged");
  for (const { sort, name, place } of written) {
    const isThere = known.some(
      (each) =>
        textOf(each.values, "type") === sort &&
        (sort === "transform" || plain(each.name ?? "") === `${sort} ${name}`),
    );
    if (!isThere) throw unmade(`${place}: ${sort} ${name}`);
  }
}

/** As {@link refuseUnmade}, for those that the definitions have made in an empty database. */
export function refuseUnmadeIn(wanted: Schema, base: Schema): void {
  const made = wanted.all("Unmanaged").find(({ id }) => base.find(id) === undefined);
  if (made !== undefined) throw unmade(made.name ?? "");
}

/** A name without the quotes that some of its parts need. */
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
