import {
  type Command,
  LOCK_MODES,
  type LockMode,
  type TableLock,
  type Work,
} from "../model/commands.js";
import type { Script } from "../ports.js";
import type { Schema } from "../model/schema.js";
import { scriptLocks } from "../scripts/script-locks.js";
import { unitsOf } from "../scripts/script-units.js";
import { type Finding, reportOn } from "./finding.js";

/** The weakest lock mode that blocks writers. */
const BLOCKING: LockMode = "SHARE";
const RELATIONS = ["Table", "View", "MaterializedView"] as const;
const WORK = ["instant", "scan", "rewrite"] as const;

/** A lock on an existing table, with the work done until the lock is released. */
interface HeldLock {
  readonly table: string;
  readonly mode: LockMode;
  /** The heaviest work done under the lock, and the table that it scans or rewrites. */
  readonly work: Work;
  readonly on: string;
}

/** Findings about sessions that wait for the script's locks. */
export function lockFindings(base: Schema, target: Schema, script: Script): readonly Finding[] {
  const existing = namesOfTables(base, target);
  return base.dialect === "sqlite"
    ? sqliteFindings(script, existing)
    : unitsOf(script).flatMap(({ commands }) => heldBy(commands, existing).map(findingOf));
}

/** The names under which a script refers to existing tables. */
function namesOfTables(base: Schema, target: Schema): ReadonlySet<string> {
  const relations = RELATIONS.flatMap((kind) => base.all(kind));
  const names = relations.flatMap((old) => {
    const now = target.find(old.id);
    return [base.pathOf(old), ...(now === undefined ? [] : [target.pathOf(now)])];
  });
  return new Set(names);
}

/** SQLite has one writer per file, so every write blocks all other writers. */
function sqliteFindings(script: Script, existing: ReadonlySet<string>): readonly Finding[] {
  return scriptLocks(script).flatMap(({ table, holdsWhile }) => {
    if (holdsWhile === "instant" || !existing.has(table)) return [];
    const what = holdsWhile === "rewrite" ? "is rewritten" : "is scanned";
    return [
      reportOn(table)(
        "lock-heavy",
        `other connections cannot write to the file while the table ${what}`,
      ),
    ];
  });
}

/**
 * The strongest lock per table among statements whose locks are released together. A lock that one
 * statement takes for an instant is held while the later statements work.
 */
function heldBy(commands: readonly Command[], existing: ReadonlySet<string>): readonly HeldLock[] {
  const held = new Map<string, HeldLock>();
  for (const { command, locks } of commands) {
    for (const lock of locks) {
      if (!existing.has(lock.table) || strength(lock.mode) < strength(BLOCKING)) continue;
      held.set(lock.table, stronger(held.get(lock.table), lock));
    }
    // A new table has no rows. The exception is a materialized view, whose query fills it.
    const isFilled = command === "create_materialized_view";
    const works = locks.filter(({ table }) => isFilled || existing.has(table));
    for (const [table, lock] of held) {
      const longest = works.find(({ holdsWhile }) => weight(holdsWhile) > weight(lock.work));
      if (longest === undefined) continue;
      held.set(table, { ...lock, work: longest.holdsWhile, on: longest.table });
    }
  }
  return [...held.values()];
}

function stronger(known: HeldLock | undefined, { table, mode, holdsWhile }: TableLock): HeldLock {
  const own = { table, mode, work: holdsWhile, on: table };
  if (known === undefined) return own;
  const strongest = strength(mode) > strength(known.mode) ? mode : known.mode;
  return { ...(weight(holdsWhile) > weight(known.work) ? own : known), mode: strongest };
}

function strength(mode: LockMode): number {
  return LOCK_MODES.indexOf(mode);
}

function weight(work: Work): number {
  return WORK.indexOf(work);
}

function findingOf({ table, mode, work, on }: HeldLock): Finding {
  const report = reportOn(table);
  const who = mode === "ACCESS EXCLUSIVE" ? "reads and writes wait" : "writes wait";
  if (work === "instant") {
    return report(
      "lock-brief",
      `${mode} for an instant: ${who}; the migration first waits for running transactions`,
    );
  }
  const what = work === "rewrite" ? "is rewritten" : "is scanned";
  return report("lock-heavy", `${mode} while ${on === table ? "it" : on} ${what}: ${who}`);
}
