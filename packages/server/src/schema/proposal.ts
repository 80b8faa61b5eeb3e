import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Hash } from "../state/index.js";
import { refuseIdleHints } from "./hint-effects.js";
import { identify, type RenameHint } from "./identify.js";
import type { Migration } from "./migration.js";
import type { SchemaDatabase } from "./ports.js";
import type { Schema } from "./schema.js";
import { authorOf } from "./schema-admin.js";
import { changeBetween } from "./schema-change.js";
import { refuseUnmade, refuseUnmadeIn, withUnmanagedOf } from "./unmanaged.js";
import { withVersionsOf } from "./wanted/extension-versions.js";
import { readDefinitions, type WantedSql } from "./wanted/read-definitions.js";

/** What a migration is proposed with. */
export interface Proposal {
  /** Name of the data source. */
  readonly database: string;
  /** The whole schema that is wanted, as definitions. */
  readonly sql: WantedSql;
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
  const definitions = await readDefinitions(sql, database.dialect);
  refuseUnmade(base, definitions.unmanaged);
  await using scratch = await database.scratch();
  await scratch.define(definitions);
  const all = [...hints, ...definitions.hints];
  const found = identify(await scratch.introspect(), base, all);
  refuseIdleHints(base, found, all);
  refuseUnmadeIn(found, base);
  const wanted = withVersionsOf(base, found, definitions.unversioned);
  return withUnmanagedOf(base, wanted);
}

/** The answer to a proposal of the schema that a database has already. */
export interface Unchanged {
  readonly status: "unchanged";
  readonly database: string;
  readonly root: Hash;
}

/** What is new of a migration with each proposal. */
export interface MigrationSources {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Works out the migration between two schemas, there and back; none between equal ones. */
export function drawMigration(
  caller: Caller,
  proposal: Proposal,
  { base, target }: { readonly base: Schema; readonly target: Schema },
  { clock, ids }: MigrationSources,
): Migration | Unchanged {
  const { database } = proposal;
  const change = changeBetween(base, target);
  if (change.baseRoot === change.targetRoot && change.up.length === 0) {
    return { status: "unchanged", database, root: change.targetRoot };
  }
  return {
    id: ids.uuid(),
    database,
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
