import { Schema, type SchemaObject } from "./schema.js";

/** A schema with the layout of the same objects in another. */
export function withLayoutOf(schema: Schema, other: Schema): Schema {
  return new Schema(
    schema.objects.map((object) => {
      const values = { ...object.values, ...layoutOf(other.find(object.id)) };
      return { ...object, values };
    }),
  );
}

/** What is kept beside an object without being part of the schema. */
export function layoutOf(object: SchemaObject | undefined): SchemaObject["values"] {
  const { nativeId, position } = object?.values ?? {};
  return {
    ...(nativeId === undefined ? {} : { nativeId }),
    ...(position === undefined ? {} : { position }),
  };
}
