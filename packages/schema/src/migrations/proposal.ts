import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import type { Hash } from "@steward/state";
import { refuseIdleHints } from "../changes/hint-effects.js";
import { identifying, type RenameHint } from "../model/identify.js";
import type { Migration } from "./migration.js";
import type { SchemaDatabase } from "../ports.js";
import type { Schema } from "../model/schema.js";
import { authorOf } from "./author.js";
import { changeBetween } from "./schema-change.js";
import { refuseUnmade, refuseUnmadeIn, withUnmanagedOf } from "../postgres/objects/unmanaged.js";
import { withVersionsOf } from "../wanted/extension-versions.js";
import { type Definitions, readDefinitions, type WantedSql } from "../wanted/read-definitions.js";

export interface Proposal {
  /** Name of the data source. */
  readonly database: string;
  /** The complete wanted schema, as definitions. */
  readonly sql: WantedSql;
  readonly message: string;
  /** Rename hints, in addition to those in the SQL's comments. */
  readonly hints?: readonly RenameHint[];
}

/** What a proposal's definitions are tried with. */
export interface ProposalTrial {
  readonly database: SchemaDatabase;
  /** Reads the actual schema. */
  readonly read: () => Promise<Schema>;
  /** Asked before the server loads code that others wrote. @throws AppError `POLICY_DENIED`. */
  readonly mayDefineCode: () => Promise<void>;
}

/**
 * Determines the schema that a proposal's SQL defines, in a scratch database. No function of it is
 * run there; new extensions and functions in machine code, which PostgreSQL loads, need the right
 * to define code first.
 */
export async function wantedSchema(
  { database, read, mayDefineCode }: ProposalTrial,
  { sql, hints = [] }: Proposal,
): Promise<{ readonly base: Schema; readonly target: Schema }> {
  const definitions = await readDefinitions(sql, database.dialect);
  const reading = read();
  const trying = async (): Promise<Schema> => {
    if (loadsCode(definitions, definitions.extensions.size > 0 ? await reading : undefined)) {
      await mayDefineCode();
    }
    return defineIn(database, definitions);
  };
  const [there, defined] = await Promise.allSettled([reading, trying()]);
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

/** @param base needed only where extensions are created. */
function loadsCode(
  { extensions, nativeFunctions }: Definitions,
  base: Schema | undefined,
): boolean {
  if (nativeFunctions.length > 0) return true;
  const present = new Set(
    base?.objects.filter(({ kind }) => kind === "Extension").map(({ name }) => name),
  );
  return [...extensions.keys()].some((name) => name !== "plpgsql" && !present.has(name));
}

async function defineIn(database: SchemaDatabase, definitions: Definitions): Promise<Schema> {
  await using scratch = await database.scratch();
  await scratch.define(definitions);
  return await scratch.introspect();
}

/** The response to a proposal of the schema that the database has already. */
export interface Unchanged {
  readonly status: "unchanged";
  readonly database: string;
  readonly root: Hash;
}

/** Sources of a migration's id and time. */
export interface MigrationSources {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Plans the migration between two schemas, in both directions; undefined when they are equal. */
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
