import { AppError } from "@steward/kernel/errors.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { identifying } from "../model/identify.js";
import { layoutOf, withLayoutOf } from "../model/layout.js";
import { isSameSchema } from "../model/schema-diff.js";
import type { Schema } from "../model/schema.js";

/** Two schemas, and the schema recorded last. */
export interface WayToReach {
  /** Name of the data source, for messages. */
  readonly database: string;
  readonly from: Schema;
  readonly to: Schema;
  /** The recorded schema, with native ids and column positions. */
  readonly recorded: Schema | undefined;
}

/**
 * Determines whether a database has a migration's target schema already. Names alone cannot tell,
 * because two tables of the same structure may have swapped their names. So the layout decides:
 * native ids, and on SQLite the positions of tables and columns.
 * @param draft the introspected schema.
 * @returns the identified schema; undefined when the database still has the base schema.
 * @throws AppError `STATE_CONFLICT` when the layout matches neither schema.
 */
export function* reachedSchema(
  draft: Schema,
  { database, from, to, recorded }: WayToReach,
): Pausing<Schema | undefined> {
  yield;
  const isCurrent = recorded !== undefined && isSameSchema(recorded, from);
  const origin = isCurrent ? recorded : from;
  yield;
  const goal = withLayoutOf(to, origin);
  yield;
  const atGoal = yield* identifying(draft, goal);
  yield;
  if (!isSameSchema(atGoal, to)) return undefined;
  const atOrigin = yield* identifying(draft, origin);
  yield;
  if (!isSameSchema(atOrigin, from)) return atGoal;
  if (isLaidOutAs(atOrigin, origin)) return undefined;
  if (isLaidOutAs(atGoal, goal)) return atGoal;
  throw new AppError(
    "STATE_CONFLICT",
    `The schema of ${database} matches both sides of this migration, which only swaps names, ` +
      "and its tables were created again since: accept the schema as it is (steward migrate-db drift --accept), and propose what is still missing",
  );
}

function isLaidOutAs(schema: Schema, expected: Schema): boolean {
  return expected.objects.every((object) => {
    const found = schema.get(object.id).values;
    return Object.entries(layoutOf(object)).every(
      // The object has the keys of a layout.
      ([key, value]) => found[key as "nativeId" | "position"] === value,
    );
  });
}
