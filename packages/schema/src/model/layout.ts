import { Schema, type SchemaObject } from "./schema.js";

/** A copy of a schema with the layout of the same objects in another schema. */
export function withLayoutOf(schema: Schema, other: Schema): Schema {
  return new Schema(
    schema.objects.map((object) => withLayout(object, layoutOf(other.find(object.id)))),
  );
}

function withLayout<O extends SchemaObject>(object: O, layout: ReturnType<typeof layoutOf>): O {
  return { ...object, values: { ...object.values, ...layout } };
}

/**
 * The layout of an object: the properties that are stored beside the schema without being part of
 * it.
 */
export function layoutOf(object: SchemaObject | undefined): {
  readonly nativeId?: string;
  readonly position?: number;
} {
  const { nativeId, position } = object?.values ?? {};
  return {
    ...(nativeId === undefined ? {} : { nativeId }),
    ...(position === undefined ? {} : { position }),
  };
}
