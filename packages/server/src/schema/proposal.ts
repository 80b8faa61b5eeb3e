import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import type { Ids } from "../kernel/ids.js";
import { renameHints } from "./definitions.js";
import { identify, type RenameHint } from "./identify.js";
import type { Migration } from "./migration.js";
import type { SchemaDatabase } from "./ports.js";
import type { Schema } from "./schema.js";
import { authorOf } from "./schema-admin.js";
import { changeBetween } from "./schema-change.js";
import { withUnmanagedOf } from "./unmanaged.js";

/** What a migration is proposed with. */
export interface Proposal {
  /** Name of the data source. */
  readonly database: string;
  /** The whole schema that is wanted, as definitions. */
  readonly sql: string;
  readonly message: string;
  /** What has another name in it; beside the hints that stand in the SQL. */
  readonly hints?: readonly RenameHint[];
}

/** Finds out what a proposal's SQL means, in an empty database. */
export async function wantedSchema(
  database: SchemaDatabase,
  base: Schema,
  { sql, hints = [] }: Proposal,
): Promise<Schema> {
  await using scratch = await database.scratch();
  await scratch.define(sql);
  const written = renameHints(sql, database.dialect);
  const wanted = identify(await scratch.introspect(), base, [...hints, ...written]);
  return withUnmanagedOf(base, wanted);
}

/** What is new of a migration with each proposal. */
export interface MigrationSources {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Works out the migration between two schemas, there and back.
 * @throws AppError `INVALID_ARGUMENT` when they are the same.
 */
export function drawMigration(
  caller: Caller,
  proposal: Proposal,
  { base, target }: { readonly base: Schema; readonly target: Schema },
  { clock, ids }: MigrationSources,
): Migration {
  const change = changeBetween(base, target);
  if (change.up.length === 0) {
    throw new AppError("INVALID_ARGUMENT", `${proposal.database} has this schema already`);
  }
  return {
    id: ids.uuid(),
    database: proposal.database,
    author: authorOf(caller),
    message: proposal.message,
    proposedAtMs: clock.nowMs(),
    status: "proposed",
    ...change,
    commits: [],
    base: base.objects,
    target: target.objects,
  };
}
