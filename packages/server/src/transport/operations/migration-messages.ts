import type {
  Migration as MigrationMessage,
  MigrationPhase,
  migrations,
  OutputOf,
  SchemaDiff,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import {
  type Drift,
  effectOf,
  type Migration,
  migrationDigest,
  type MigrationProof,
  type SchemaChange,
  type ScriptLock,
  scriptLocks,
  type ScriptText,
  type UnfinishedRun,
} from "@steward/schema";
import { present } from "../../kernel/present.js";

/**
 * A migration as a message, without its two schemas.
 * @param run its unfinished run, if it was looked up.
 */
export function migrationMessage(migration: Migration, run?: UnfinishedRun): MigrationMessage {
  const { database, author, message, status, operations, findings, commits } = migration;
  return {
    migration_id: migration.id,
    ...{ database, author, message, status, operations, findings, commits },
    proposed_at: isoTime(migration.proposedAtMs),
    digest: migrationDigest(migration),
    base_root: migration.baseRoot,
    target_root: migration.targetRoot,
    down_findings: migration.downFindings,
    up: phasesOf(migration.up, migration.upLocks),
    down: phasesOf(migration.down, migration.downLocks),
    ...(run === undefined ? {} : { unfinished_run: runMessage(run) }),
  };
}

function runMessage(run: UnfinishedRun): NonNullable<MigrationMessage["unfinished_run"]> {
  return {
    direction: run.direction,
    purpose: run.purpose,
    parts_done: run.unitsDone,
    part_count: run.unitCount,
    under_way: run.isUnderWay,
    ...present({ activity: run.activity, error: run.error }),
    started_at: run.startedAt,
  };
}

/** @param locks the locks of a script that an earlier version stored without commands. */
function phasesOf(
  script: ScriptText,
  locks: readonly ScriptLock[] = scriptLocks(script),
): readonly MigrationPhase[] {
  return script.map(({ isAtomic, statements, commands }, index) => ({
    atomic: isAtomic,
    statements,
    ...(commands === undefined
      ? {}
      : { commands: commands.map(({ command, object }) => ({ command, object })) }),
    locks: locks
      .filter(({ phase }) => phase === index)
      .map((lock) => ({
        statement: lock.statement,
        table: lock.table,
        mode: lock.mode,
        holds_while: lock.holdsWhile,
        effect: effectOf(lock),
      })),
  }));
}

export function proofMessage({
  isProven,
  stretches,
}: MigrationProof): OutputOf<typeof migrations.verifyMigration> {
  return {
    proven: isProven,
    stretches: stretches.map(({ name, expected, reached, missing }) => ({
      name,
      expected_root: expected,
      reached_root: reached,
      missing,
    })),
  };
}

export function changeMessage(change: SchemaChange): SchemaDiff {
  const { operations, findings } = change;
  return {
    from_root: change.baseRoot,
    to_root: change.targetRoot,
    ...{ operations, findings },
    down_findings: change.downFindings,
    up: phasesOf(change.up, change.upLocks),
    down: phasesOf(change.down, change.downLocks),
  };
}

export function driftMessage(
  database: string,
  drift: Drift,
): OutputOf<typeof migrations.getSchemaDrift> {
  const { expectedRoot, liveRoot, differences } = drift;
  return { database, expected_root: expectedRoot, live_root: liveRoot, differences };
}
