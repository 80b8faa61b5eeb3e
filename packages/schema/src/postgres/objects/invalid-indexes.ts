import {
  type Dialect,
  type PostgresObject,
  type PostgresSchema,
  Schema,
} from "../../model/schema.js";
import type { SchemaObject } from "../../model/objects.js";
import type { Statement } from "../../model/commands.js";
import { statement } from "../commands.js";
import { attachedTo, Attachments } from "./attachments.js";
import { qualified } from "./names.js";

/**
 * How a migration treats the invalid indexes that an interrupted CREATE INDEX CONCURRENTLY or
 * REINDEX leaves behind.
 */
export interface InvalidIndexes {
  /** The statements that drop the invalid indexes. */
  readonly drops: readonly Statement[];
  /** Partitioned indexes with an invalid partition index; they can only be dropped as a whole. */
  readonly broken: readonly string[];
}

/**
 * A schema without its invalid indexes. No statement creates an invalid index, and no query uses
 * one.
 */
export function withoutInvalidIndexes<D extends Dialect>(schema: Schema<D>): Schema<D> {
  const { objects } = schema;
  if (!objects.some((object) => isInvalidIndex(schema, object))) return schema;
  return new Schema(objects.filter((object) => !isInvalidIndex(schema, object)));
}

/**
 * Handles the invalid indexes of a base schema. Each is dropped, and recreated when the target has
 * an index of its name. A scratch database cannot contain invalid indexes, so nothing is dropped
 * there.
 */
export function invalidIndexes(base: PostgresSchema, target: PostgresSchema): InvalidIndexes {
  const attachments = new Attachments(base);
  const invalid = base.all("Index").filter((index) => isInvalidIndex(base, index));
  const isKept = ({ id }: PostgresObject): boolean => {
    const now = target.find(id);
    return now !== undefined && isInvalidIndex(target, now);
  };
  const gone = invalid.filter((index) => !isKept(index));
  const isPart = (index: PostgresObject): boolean => attachedTo(index) !== undefined;
  return {
    drops: gone
      .filter((index) => !isPart(index))
      .map((index) => {
        const sql = `DROP INDEX IF EXISTS ${qualified(base, index)}`;
        const table = base.pathOf(base.above(index));
        return statement("drop_index", sql, { object: base.pathOf(index), table });
      }),
    broken: gone.filter(isPart).map((index) => attachments.rootOf(index).id),
  };
}

/** Whether an index is invalid and has no partition indexes that could complete it. */
export function isInvalidIndex(schema: Schema, { kind, parent, values }: SchemaObject): boolean {
  if (kind !== "Index" || values.isInvalid !== true) return false;
  return schema.find(parent)?.values.partitionKey === undefined;
}
