import type { LockMode, TableLock } from "../model/commands.js";
import type { ScriptText } from "../ports.js";

/** A lock, and the statement of a script that takes it. */
export interface ScriptLock extends TableLock {
  /** Index of the phase in the script. */
  readonly phase: number;
  /** Index of the statement in its phase. */
  readonly statement: number;
}

/** All locks that a script takes, in the order of its statements. */
export function scriptLocks(script: ScriptText): readonly ScriptLock[] {
  return script.flatMap(({ commands = [] }, phase) =>
    commands.flatMap(({ locks }, statement) =>
      locks.map((lock) => ({ ...lock, phase, statement })),
    ),
  );
}

/** The operations that a lock mode blocks (PostgreSQL, "Explicit Locking", table 13.2). */
const WAITING: Readonly<Record<LockMode, string>> = {
  "ACCESS SHARE": "reads and writes continue",
  "ROW SHARE": "reads and writes continue",
  "ROW EXCLUSIVE": "reads and writes continue",
  "SHARE UPDATE EXCLUSIVE": "reads and writes continue",
  SHARE: "reads continue, writes wait",
  "SHARE ROW EXCLUSIVE": "reads continue, writes wait",
  EXCLUSIVE: "reads continue, writes wait",
  "ACCESS EXCLUSIVE": "reads and writes wait",
  RESERVED: "reads continue, writes to the whole file wait",
};
const WORK: Readonly<Record<TableLock["holdsWhile"], string>> = {
  instant: "",
  scan: ", while every row is read",
  rewrite: ", while every row is rewritten",
};

/**
 * The effect of a lock on other sessions, as text: `reads and writes wait, while every row is
 * read`.
 */
export function effectOf({ mode, holdsWhile }: TableLock): string {
  return `${WAITING[mode]}${WORK[holdsWhile]}`;
}
