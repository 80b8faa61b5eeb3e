import { AppError } from "@steward/kernel/errors.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { Hash } from "@steward/state";
import { identifying } from "../model/identify.js";
import { isInvalidIndex } from "../postgres/objects/invalid-indexes.js";
import { rootsOf } from "../model/root.js";
import type { Schema } from "../model/schema.js";
import { diffSchemas, isSameSchema, type Operation } from "../model/schema-diff.js";

/** The difference between a database's actual schema and its recorded schema. */
export interface Drift {
  readonly expectedRoot: Hash;
  readonly liveRoot: Hash;
  /** Operations that lead from the recorded to the actual schema; empty without drift. */
  readonly differences: readonly Operation[];
}

/**
 * Compares a database with the schema it should have.
 * @param draft the schema as introspected, its objects not identified yet.
 */
export function* driftBetween(
  expected: Schema,
  draft: Schema,
): Pausing<Drift & { readonly live: Schema }> {
  const live = yield* identifying(draft, expected);
  const { baseRoot: expectedRoot, targetRoot: liveRoot } = yield* rootsOf(expected, live);
  const differences = expectedRoot === liveRoot ? [] : diffSchemas(expected, live);
  return { expectedRoot, liveRoot, differences, live };
}

/** Limit of differences named in an error. */
const NAMED_MAX = 10;

/**
 * @returns the introspected schema, with the object ids of the expected one.
 * @throws AppError `STATE_CONFLICT`, naming the differences, when the database has drifted.
 */
export function* refusingDrift(database: string, expected: Schema, draft: Schema): Pausing<Schema> {
  const live = yield* identifying(draft, expected);
  yield;
  if (isSameSchema(expected, live)) return live;
  const differences = diffSchemas(expected, live);
  throw driftError(database, differences, invalidIndexesAmong(differences, live));
}

function invalidIndexesAmong(differences: readonly Operation[], live: Schema): readonly string[] {
  return differences.flatMap(({ id, path }) => {
    const object = live.find(id);
    return object !== undefined && isInvalidIndex(live, object) ? [path] : [];
  });
}

/** @throws AppError `STATE_CONFLICT`, naming the differences, unless the list is empty. */
export function refuseDifferences(database: string, differences: readonly Operation[]): void {
  if (differences.length > 0) throw driftError(database, differences);
}

function driftError(
  database: string,
  differences: readonly Operation[],
  invalid: readonly string[] = [],
): AppError {
  const named = differences.slice(0, NAMED_MAX).map(sayOperation).join("; ");
  const more = differences.length - NAMED_MAX;
  const wayOut =
    invalid.length === 0
      ? ""
      : `. Indexes left invalid by a failed statement: ${invalid.slice(0, NAMED_MAX).join(", ")}. Accept the schema as it ` +
        "is (steward migrate-db drift --accept) and propose again: the migration drops such an index, and builds " +
        "it anew where it is wanted";
  return new AppError(
    "STATE_CONFLICT",
    `The schema of ${database} is not the one that this migration expects: ${named}${more > 0 ? `; and ${more} more` : ""}${wayOut}`,
  );
}

/** An operation as text: `alter Column users.age (type)`. */
export function sayOperation(operation: Operation): string {
  const { action, kind, path } = operation;
  if (action === "rename") return `rename ${kind} ${operation.from} to ${operation.to}`;
  const details =
    action === "alter" ? ` (${operation.changes.map(({ property }) => property).join(", ")})` : "";
  return `${action} ${kind} ${path}${details}`;
}
