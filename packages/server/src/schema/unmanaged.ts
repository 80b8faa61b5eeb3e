import { Schema } from "./schema.js";

/** A schema without what is seen only. */
export function withoutUnmanaged(schema: Schema): Schema {
  return new Schema(schema.objects.filter(({ kind }) => kind !== "Unmanaged"));
}

/** A wanted schema with what is seen only, which no definition can ask for and none can end. */
export function withUnmanagedOf(base: Schema, wanted: Schema): Schema {
  return new Schema([...withoutUnmanaged(wanted).objects, ...base.all("Unmanaged")]);
}
