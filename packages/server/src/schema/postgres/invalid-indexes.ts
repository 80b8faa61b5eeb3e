import { isSet, Schema, type SchemaObject } from "../schema.js";
import { attachedTo, Attachments } from "./attachments.js";
import { qualified } from "./names.js";

/** What is done about indexes that CREATE INDEX CONCURRENTLY or REINDEX has begun and not ended. */
export interface InvalidIndexes {
  /** The statements that remove them. */
  readonly drops: readonly string[];
  /** Partitioned indexes with such a part, which can only go as a whole. */
  readonly broken: readonly string[];
}

/** A schema without invalid indexes: no statement makes one, and no query uses one. */
export function withoutInvalidIndexes(schema: Schema): Schema {
  const { objects } = schema;
  if (!objects.some((object) => isInvalidIndex(schema, object))) return schema;
  return new Schema(objects.filter((object) => !isInvalidIndex(schema, object)));
}

/**
 * The invalid indexes of a base. They go whether or not the target has one of the name,
 * which is then made anew. In a copy of the database, where they cannot be made, there is none to drop.
 */
export function invalidIndexes(base: Schema, target: Schema): InvalidIndexes {
  const attachments = new Attachments(base);
  const invalid = base.all("Index").filter((index) => isInvalidIndex(base, index));
  const isKept = ({ id }: SchemaObject): boolean => {
    const now = target.find(id);
    return now !== undefined && isInvalidIndex(target, now);
  };
  const gone = invalid.filter((index) => !isKept(index));
  const isPart = (index: SchemaObject): boolean => attachedTo(index) !== undefined;
  return {
    drops: gone
      .filter((index) => !isPart(index))
      .map((index) => `DROP INDEX IF EXISTS ${qualified(base, index)}`),
    broken: gone.filter(isPart).map((index) => attachments.rootOf(index).id),
  };
}

/** Whether an index is invalid and has no parts that could complete it. */
export function isInvalidIndex(schema: Schema, { kind, parent, values }: SchemaObject): boolean {
  if (kind !== "Index" || !isSet(values, "isInvalid")) return false;
  return schema.find(parent ?? "")?.values.partitionKey === undefined;
}
