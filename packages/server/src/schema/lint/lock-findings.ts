import {
  LOCK_MODES,
  type LockMode,
  scriptLocks,
  type StatementLocks,
  type TableLock,
} from "../locks.js";
import type { Script } from "../ports.js";
import type { Schema } from "../schema.js";
import { type Finding, reportOn } from "./finding.js";

/** The weakest lock that makes writers wait. */
const BLOCKING: LockMode = "SHARE";
const RELATIONS = ["Table", "View", "MaterializedView"] as const;
const WORK = ["instant", "scan", "rewrite"] as const;

/** A lock on a table that is there already, with the work that is done before it is given back. */
interface HeldLock {
  readonly table: string;
  readonly mode: LockMode;
  /** The heaviest work under the lock, and the table that it is about. */
  readonly work: TableLock["holdsWhile"];
  readonly on: string;
}

/** What others wait for while a script runs. */
export function lockFindings(base: Schema, target: Schema, script: Script): readonly Finding[] {
  const statements = scriptLocks(base, target, script);
  const existing = namesOfTables(base, target);
  if (base.dialect === "sqlite") return sqliteFindings(statements, existing);
  return script.flatMap(({ isAtomic }, phase) => {
    const ofPhase = statements.filter((each) => each.phase === phase);
    const parts = isAtomic ? [ofPhase] : ofPhase.map((each) => [each]);
    return parts.flatMap((part) => heldBy(part, existing).map(findingOf));
  });
}

/** The names that a script has for the tables that were there before it. */
function namesOfTables(base: Schema, target: Schema): ReadonlySet<string> {
  const relations = RELATIONS.flatMap((kind) => base.all(kind));
  const names = relations.flatMap((old) => {
    const now = target.find(old.id);
    return [base.pathOf(old), ...(now === undefined ? [] : [target.pathOf(now)])];
  });
  return new Set(names);
}

/** One writer at a time has the whole file, whatever table it works on. */
function sqliteFindings(
  statements: readonly StatementLocks[],
  existing: ReadonlySet<string>,
): readonly Finding[] {
  const locks = statements.flatMap((each) => each.locks);
  return locks.flatMap(({ table, holdsWhile }) => {
    if (holdsWhile === "instant" || !existing.has(table)) return [];
    const what = holdsWhile === "rewrite" ? "is built anew" : "is read as a whole";
    return [
      reportOn(table)("lock-heavy", `nobody else writes to the file while the table ${what}`),
    ];
  });
}

/**
 * The locks of statements that are given back together, the strongest of each table. A lock that is taken for
 * an instant is held as long as the statements after it work.
 */
function heldBy(
  statements: readonly StatementLocks[],
  existing: ReadonlySet<string>,
): readonly HeldLock[] {
  const held = new Map<string, HeldLock>();
  for (const { statement, locks } of statements) {
    for (const lock of locks) {
      if (!existing.has(lock.table) || strength(lock.mode) < strength(BLOCKING)) continue;
      held.set(lock.table, stronger(held.get(lock.table), lock));
    }
    // What is new has no rows, but for a materialized view that is filled.
    const isFilled = statement.startsWith("CREATE MATERIALIZED VIEW");
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

function weight(work: TableLock["holdsWhile"]): number {
  return WORK.indexOf(work);
}

function findingOf({ table, mode, work, on }: HeldLock): Finding {
  const report = reportOn(table);
  const who = mode === "ACCESS EXCLUSIVE" ? "reads and writes wait" : "writes wait";
  if (work === "instant") {
    return report("lock-brief", `${mode} for an instant: ${who}, and first it waits for them`);
  }
  const what = work === "rewrite" ? "is written anew" : "is read as a whole";
  return report("lock-heavy", `${mode} while ${on === table ? "it" : on} ${what}: ${who}`);
}
