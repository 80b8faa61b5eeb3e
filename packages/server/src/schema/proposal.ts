import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import type { Ids } from "../kernel/ids.js";
import { withPauses } from "../kernel/pausing.js";
import type { Hash } from "../state/index.js";
import { refuseIdleHints } from "./hint-effects.js";
import { identifying, type RenameHint } from "./identify.js";
import type { Migration } from "./migration.js";
import type { SchemaDatabase } from "./ports.js";
import type { Schema } from "./schema.js";
import { authorOf } from "./author.js";
import { changeBetween } from "./schema-change.js";
import { refuseUnmade, refuseUnmadeIn, withUnmanagedOf } from "./unmanaged.js";
import { withVersionsOf } from "./wanted/extension-versions.js";
import { type Definitions, readDefinitions, type WantedSql } from "./wanted/read-definitions.js";

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

/**
 * Finds out what a proposal's SQL means, in an empty database.
 * @param read reads the schema that there is, meanwhile.
 */
export async function wantedSchema(
  database: SchemaDatabase,
  read: () => Promise<Schema>,
  { sql, hints = [] }: Proposal,
): Promise<{ readonly base: Schema; readonly target: Schema }> {
  const definitions = await readDefinitions(sql, database.dialect);
  const [there, defined] = await Promise.allSettled([read(), defineIn(database, definitions)]);
  if (there.status === "rejected") throw AppError.from(there.reason);
  const base = there.value;
  refuseUnmade(base, definitions.unmanaged);
  if (defined.status === "rejected") throw AppError.from(defined.reason);
  const all = [...hints, ...definitions.hints];
  const found = await withPauses(identifying(defined.value, base, all));
  refuseIdleHints(base, found, all);
  refuseUnmadeIn(found, base);
  const wanted = withVersionsOf(base, found, definitions.unversioned);
  return { base, target: withUnmanagedOf(base, wanted) };
}

async function defineIn(database: SchemaDatabase, definitions: Definitions): Promise<Schema> {
  await using scratch = await database.scratch();
  await scratch.define(definitions);
  return await scratch.introspect();
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
export async function drawMigration(
  caller: Caller,
  proposal: Proposal,
  { base, target }: { readonly base: Schema; readonly target: Schema },
  { clock, ids }: MigrationSources,
): Promise<Migration | Unchanged> {
  const { database } = proposal;
  const change = await withPauses(changeBetween(base, target));
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
