import { AppError } from "../kernel/errors.js";
import type { Pausing } from "../kernel/pausing.js";
import { identifying } from "./identify.js";
import { layoutOf, withLayoutOf } from "./layout.js";
import { isSameSchema } from "./schema-diff.js";
import type { Schema } from "./schema.js";

/** A way between two schemas, and the schema that was recorded last. */
export interface WayToReach {
  /** Name of the data source, for messages. */
  readonly database: string;
  readonly from: Schema;
  readonly to: Schema;
  /** As the database was left, with the engine's own ids and the places of columns. */
  readonly recorded: Schema | undefined;
}

/**
 * The schema of a database that has gone a way already; undefined when it has not. Two tables of the same
 * structure that change their names look the same by name before and after, so the layout decides: the
 * engine's own ids, and where SQLite has its tables and columns.
 * @param draft the schema as it is.
 * @throws AppError `STATE_CONFLICT` when the layout is neither that of before nor that of after.
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
    `The schema of ${database} fits both before and after this migration, which only has names change places, ` +
      "and somebody has made its tables anew since: accept the schema as it is, and propose what is still to do",
  );
}

function isLaidOutAs(schema: Schema, expected: Schema): boolean {
  return expected.objects.every((object) => {
    const found = schema.get(object.id).values;
    return Object.entries(layoutOf(object)).every(
      // The keys are those of a layout.
      ([key, value]) => found[key as "nativeId" | "position"] === value,
    );
  });
}
